package allocator

// Stat is a number of bytes now and at its highest.
type Stat struct{ Current, Peak int64 }

func (s *Stat) add(n int64) {
	s.Current += n
	s.Peak = max(s.Peak, s.Current)
}

// Stats are the counters of an allocator since it was made (torch.cuda.memory_stats).
type Stats struct {
	Requested Stat // bytes asked for, of active blocks
	Allocated Stat // bytes of allocated blocks
	Active    Stat // bytes of allocated blocks and of those that other streams still use
	Reserved  Stat // bytes held from the driver; the peak counts what a failed request held for a moment, too

	Retries int64 // requests that gave all cached memory back and asked the driver again
	OOMs    int64 // requests that failed
}

// Stats are the counters so far.
func (a *Allocator) Stats() Stats { return a.stats }

// Reserved is the memory held from the driver, in bytes.
func (a *Allocator) Reserved() int64 { return a.stats.Reserved.Current }

// reserve counts n bytes got from the driver, or given back if negative.
func (a *Allocator) reserve(p *pool, n int64) {
	p.reserved += n
	a.stats.Reserved.add(n)
}
