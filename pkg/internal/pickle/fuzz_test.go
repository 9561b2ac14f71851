package pickle

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// fuzzLimits keep one input of the fuzzer cheap.
var fuzzLimits = Limits{Stack: 1 << 16, Memo: 1 << 16, Objects: 1 << 16, StringBytes: 1 << 16, Memory: 16 << 20,
	LoadBytes: 1 << 20}

func addSeeds(f *testing.F) {
	for protocol := 2; protocol <= 5; protocol++ {
		f.Add(encode(f, protocol, everything))
	}
	f.Add([]byte("(dp0\nVa\np1\nI5\nsVb\np2\n(lp3\nL7L\naI01\nas."))
	f.Add([]byte("\x80\x02ccollections\nOrderedDict\n)Rq\x00(U\x01aK\x01U\x01bK\x02u."))
	f.Add([]byte("\x80\x04\x8c\x02os\x94\x8c\x06system\x94\x93\x8c\x02id\x85R."))
	f.Add([]byte("\x80\x02\xff"))
	f.Add([]byte("\x80\x02]q\x00h\x00a."))
}

// FuzzSalvageOther: no input panics, and a partial result ends within the input.
func FuzzSalvageOther(f *testing.F) {
	addSeeds(f)
	for _, data := range translatedFiles(f) {
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Add([]byte("(dp0\nVabcdefghijklmnopqrst\n(lp1\n(dp2\nVx\n(I1\nI2\ntsa(dVy\nI01\ns"))
	f.Fuzz(func(t *testing.T, data []byte) {
		res, err := SalvageOther(bytes.NewReader(data), keeper{}, fuzzLimits)
		if res != nil && (res.Bytes < 0 || res.Bytes > int64(len(data)) || res.Partial != (err != nil)) {
			t.Errorf("%+v, %v", res, err)
		}
		if located := new(Error); errors.As(err, &located) &&
			(located.Offset < 0 || located.Offset > int64(len(data))) {
			t.Errorf("%v of %d bytes", err, len(data))
		}
	})
}

// FuzzStream: no input panics, and every failure is one of ours and says where.
func FuzzStream(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := Stream(bytes.NewReader(data), int64(len(data)), keeper{}, fuzzLimits)
		requireLocated(t, err)
	})
}

// FuzzLoad: the same for Load, which runs gopickle after the checker.
func FuzzLoad(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := Load(bytes.NewReader(data), keeper{}, fuzzLimits)
		requireLocated(t, err)
	})
}

// FuzzBothWays: where both decoders accept a pickle, they agree.
func FuzzBothWays(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		stream, load, err1, err2 := both(t, data, fuzzLimits)
		if err1 == nil && err2 == nil && stream != load {
			t.Errorf("stream %s\nload   %s", stream, load)
		}
	})
}

// FuzzShortcuts: with its shortcuts for dicts and lists of GETs, Stream gives the same
// values as opcode by opcode, also when salvaging, and fails at the same place for the
// same reason.
func FuzzShortcuts(f *testing.F) {
	addSeeds(f)
	for _, data := range dictsOfGets() {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		requireSameWithoutShortcuts(t, data, fuzzLimits)
		requireSameWithoutShortcuts(t, slices.Concat(data, padding), fuzzLimits)
	})
}

func requireLocated(t *testing.T, err error) {
	t.Helper()
	var located *Error
	if err != nil && !errors.As(err, &located) {
		t.Errorf("%v does not say where", err)
	}
}
