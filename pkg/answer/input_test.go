package answer_test

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestOnly keeps one of two devices.
func TestOnly(t *testing.T) {
	for id, want := range map[snapshot.DeviceID]bool{0: true, 1: true, 2: false} {
		c := snapshot.NewComposer(snapshot.Format{})
		c.Event(0, snapshot.EventText{Action: snapshot.SnapshotTaken})
		c.Event(1, snapshot.EventText{Action: snapshot.SnapshotTaken})
		in := answer.NewInput("", c.Snapshot())
		if got := in.Only(id); got != want || len(in.Devices) != len(in.Recordings) ||
			want && (len(in.Devices) != 1 || in.Devices[0].ID != id || in.Recordings[0].Device.ID != id) {
			t.Errorf("device %d: %v, %d are left", id, got, len(in.Devices))
		}
	}
}
