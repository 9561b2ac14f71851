package job

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/memviz-go/memviz/pkg/units"
)

// WriteDigests writes a digest as one line. It cuts texts of d that are too long. Equal digests give equal bytes.
func WriteDigests(w io.Writer, d *Digest) error {
	line, err := marshal(d)
	if err != nil {
		return err
	}
	_, err = w.Write(line)
	return err
}

// marshal returns the line of a digest, with its newline. It cuts texts that are too
// long.
func marshal(d *Digest) ([]byte, error) {
	for _, text := range []*string{&d.Name.Label, &d.Name.Run, &d.File.Name, &d.File.Path, &d.File.Host, &d.File.Report,
		&d.Error} {
		*text = clip(*text)
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // "<module>" is a common name
	var value any = d
	if d.Error != "" { // without the unknown numbers
		value = struct {
			Schema string `json:"schema"`
			Name   Name   `json:"name"`
			File   File   `json:"file"`
			Error  string `json:"error"`
		}{d.Schema, d.Name, d.File, d.Error}
	}
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return units.EscapeJSON(text.Bytes()), nil
}

// OmitTimes removes all times.
func (d *Digest) OmitTimes() {
	d.FirstMicros, d.SpanMicros = nil, nil
	for i := range d.Steps {
		d.Steps[i].StartMicros, d.Steps[i].Micros = nil, nil
	}
	for i := range d.OOMs {
		d.OOMs[i].Micros = nil
	}
}
