package allocator

import (
	"fmt"
	"testing"
)

func TestRoundSize(t *testing.T) {
	const gib = 1 << 30
	tests := []struct {
		divisions       string // as in roundup_power2_divisions; empty for none
		requested, want int64
	}{
		{"", 1, 512},
		{"", 511, 512},
		{"", 512, 512},
		{"", 513, 1024},
		{"", mib - 1, mib},
		{"", mib, mib},
		{"", mib + 1, mib + 512},
		{"", 10*mib - 512, 10*mib - 512},
		{"", 10*mib - 1, 10 * mib},
		{"", 10 * mib, 10 * mib},
		{"", 10*mib + 1, 10*mib + 512},
		{"", 20*mib - 1, 20 * mib},
		{"", 20*mib + 1, 20*mib + 512},
		{"", 64 * gib, 64 * gib},

		// One division is none.
		{"1", 5*mib + 1, 5*mib + 512},
		{"2", 513, 1024},
		{"2", 1024, 1024},
		{"2", 1025, 1536},
		{"2", 1537, 2048},
		{"2", 10 * mib, 12 * mib},
		// Up to 512 times the divisions, the unit is 512 bytes all the same.
		{"4", 2048, 2048},
		{"4", 2049, 2560},
		{"4", 900 * kib, mib},
		{"4", mib, mib},
		{"4", mib + 1, mib + mib/4},
		{"4", mib - 1, mib},
		{"4", 10*mib - 512, 10 * mib},
		{"4", 10*mib + 1, 12 * mib},
		{"4", 20*mib + 1, 24 * mib},
		{"8", 10*mib + 1, 11 * mib},
		{"8", 20*mib - 1, 20 * mib},
		{"8", 20*mib + 1, 22 * mib},
		{"16", 20*mib + 1, 21 * mib},
		{"16", 32*mib + 1, 34 * mib},
		{"16", 32*mib - 1, 32 * mib},

		// The first entry of a list is for all smaller sizes too.
		{"[256:1,512:2,1024:4,>:8]", 100*mib + 1, 100*mib + 512},
		{"[256:1,512:2,1024:4,>:8]", 300*mib + 1, 300*mib + 512},
		{"[256:1,512:2,1024:4,>:8]", 512*mib - 1, 512 * mib},
		{"[256:1,512:2,1024:4,>:8]", 512*mib + 1, 768 * mib},
		// ">" also overwrites the entry before it.
		{"[256:1,512:2,1024:4,>:8]", 1024*mib + 1, 1152 * mib},
		{"[256:1,512:2,1024:4,>:8]", 100*gib + 1, 104 * gib},
		// Sizes between two entries are not rounded.
		{"[1:4,64:8,>:1]", mib + 1, mib + mib/4},
		{"[1:4,64:8,>:1]", 1025*kib - 1, mib + mib/4},
		{"[1:4,64:8,>:1]", 5*mib + 1, 5*mib + 512},
		{"[1:4,64:8,>:1]", 65 * mib, 65 * mib},
		{"[1:4,64:8]", 65 * mib, 72 * mib},
		{"[1:4,64:8]", 128*mib + 1, 128*mib + 512},
		{"[2:2,4:4,>:0]", 700_000, 786432},
		{"[2:2,4:4,>:0]", 5 * mib / 2, 3 * mib},
		{"[2:2,4:4,>:0]", 5*mib + 1, 5*mib + 512},
		{"[2:2,4:4]", 5*mib + 1, 6 * mib},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s/%d", test.divisions, test.requested), func(t *testing.T) {
			var s Settings
			if test.divisions != "" {
				s = mustParse(t, "roundup_power2_divisions:"+test.divisions)
			}
			if got := s.RoundSize(test.requested); got != test.want {
				t.Errorf("RoundSize(%d) = %d, want %d", test.requested, got, test.want)
			}
		})
	}
}

func TestSegmentSize(t *testing.T) {
	tests := []struct{ rounded, want int64 }{
		{512, 2 * mib},
		{mib - 512, 2 * mib},
		{mib, 2 * mib},
		{mib + 512, 20 * mib},
		{2 * mib, 20 * mib},
		{10*mib - 512, 20 * mib},
		{10 * mib, 10 * mib},
		{10*mib + 512, 12 * mib},
		{20*mib - 512, 20 * mib},
		{20 * mib, 20 * mib},
		{20*mib + 512, 22 * mib},
		{1 << 40, 1 << 40},
		{1<<40 + 512, 1<<40 + 2*mib},
	}
	for _, test := range tests {
		if got := SegmentSize(test.rounded); got != test.want {
			t.Errorf("SegmentSize(%d) = %d, want %d", test.rounded, got, test.want)
		}
	}
}

// TestRoundSizeProperties holds for every size near a power of two.
func TestRoundSizeProperties(t *testing.T) {
	for _, divisions := range []int64{0, 1, 2, 4, 8, 16} {
		var s Settings
		fill(s.RoundUpPower2Divisions[:], divisions)
		for power := int64(1); power < maxRequest; power *= 2 {
			for _, n := range []int64{power - 1, power, power + 1} {
				got := s.RoundSize(n)
				if got < n || got < minBlockSize || got%minBlockSize != 0 {
					t.Fatalf("%d divisions: RoundSize(%d) = %d", divisions, n, got)
				}
				if again := s.RoundSize(got); again != got {
					t.Fatalf("%d divisions: RoundSize(%d) = %d, which is rounded to %d", divisions, n, got, again)
				}
				if n == power && power >= minBlockSize && got != power {
					t.Fatalf("%d divisions: the power of two %d is rounded to %d", divisions, power, got)
				}
			}
		}
	}
}
