package predict

import "slices"

// Check is a recording predicted from all others, and what it was.
type Check struct {
	X                int64
	Refused          *Refusal // the others by themselves are refused, so nothing was predicted
	Active, Recorded int64    // peaks in bytes
	Reserved         *Reserved
	RecordedReserved int64
}

// Checks are those of all recordings, if there are three or more. Of two, one predicts
// nothing.
func (s *Study) Checks() []Check {
	if len(s.Given) < 3 || !s.Possible() {
		return nil
	}
	var checks []Check
	for i, g := range s.Given {
		others := New(slices.Delete(slices.Clone(s.Given), i, i+1), Options{})
		c := Check{X: g.X, Refused: others.Refused, Recorded: g.Run.Recording().Device.Totals.PeakBytes,
			RecordedReserved: g.Run.ReservedPeak()}
		if len(s.Colds) > 0 {
			c.RecordedReserved = s.Colds[i].Recorded
		}
		if c.Refused == nil {
			p := others.At(g.X, 0)
			c.Active, c.Reserved = p.ActivePeak, p.Reserved
		}
		checks = append(checks, c)
	}
	return checks
}
