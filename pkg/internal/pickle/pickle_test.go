package pickle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
)

// everything writes one value of each kind that the Encoder knows.
func everything(e *Encoder) {
	e.Dict(6, func(i int) {
		e.Shared(fmt.Sprintf("k%d", i))
		switch i {
		case 0:
			integers := []int64{0, 1, 255, 256, 65535, 65536, -1, -256, math.MaxInt32, math.MinInt32, math.MaxInt32 + 1,
				-1 << 40, 1<<60 - 1, 1 << 60, -1 << 60, -1<<60 - 1, math.MaxInt64, math.MinInt64}
			e.List(len(integers), func(j int) { e.Int(integers[j]) })
		case 1:
			e.List(2, func(j int) { e.Uint(math.MaxUint64 - uint64(j)) })
		case 2:
			ref := e.Text("shared")
			_ = ref
		case 3:
			e.List(3, func(j int) {
				switch j {
				case 0:
					e.Bool(true)
				case 1:
					e.Bool(false)
				case 2:
					e.Float(1.5)
				}
			})
		case 4:
			e.Pair(0, 7)
		case 5:
			e.List(2500, func(j int) { e.Shared("k0") })
		}
	})
}

func encode(t testing.TB, protocol int, write func(*Encoder)) []byte {
	t.Helper()
	var b bytes.Buffer
	e := NewEncoder(&b, protocol)
	write(e)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestBothWaysAgree(t *testing.T) {
	for protocol := 2; protocol <= 5; protocol++ {
		data := encode(t, protocol, everything)
		stream, load, err1, err2 := both(t, data, Limits{})
		if err1 != nil || err2 != nil {
			t.Fatalf("protocol %d: %v, %v", protocol, err1, err2)
		}
		if stream != load {
			t.Errorf("protocol %d:\nstream %s\nload   %s", protocol, stream, load)
		}
		for _, want := range []string{"18446744073709551615", "-9223372036854775808", "1152921504606846976",
			"-1152921504606846977", `"k4": (0, 7)`, "[True, False, 1.5]"} {
			if !strings.Contains(stream, want) {
				t.Errorf("protocol %d: %s is missing", protocol, want)
			}
		}
	}
}

// TestSmallReads makes every refill happen in the middle of an opcode.
func TestSmallReads(t *testing.T) {
	data := encode(t, 4, everything)
	want, err := Stream(bytes.NewReader(data), 0, keeper{}, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Stream(iotest.OneByteReader(bytes.NewReader(data)), 0, keeper{}, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := dump(want.Heap, want.Root), dump(got.Heap, got.Root); a != b {
		t.Errorf("byte by byte it reads\n%s\nat once\n%s", b, a)
	}
}

// TestReadsNothingAfterwards: once Stream gives up, no goroutine reads its input any
// more, however much of it is left.
func TestReadsNothingAfterwards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := append([]byte("\x80\x020"), make([]byte, 40*chunkSize)...)
		r := &watched{Reader: bytes.NewReader(data)}
		if _, err := Stream(r, 0, keeper{}, Limits{}); !errors.Is(err, ErrOtherWay) {
			t.Fatal(err)
		}
		r.closed.Store(true)
		synctest.Wait() // until every goroutine that Stream started has ended or waits for ever
		if r.late.Load() {
			t.Error("the input was read after Stream had returned")
		}
		if r.Len() == 0 {
			t.Error("all of the input was read before the second byte was looked at")
		}
	})
}

// watched notes whether it is read after it was closed.
type watched struct {
	*bytes.Reader
	closed, late atomic.Bool
}

func (w *watched) Read(b []byte) (int, error) {
	if w.closed.Load() {
		w.late.Store(true)
	}
	return w.Reader.Read(b)
}

// TestRunsAtBoundaries slides lists of GETs over the end of a chunk, and over
// the end of the file.
func TestRunsAtBoundaries(t *testing.T) {
	const want = `["x", ["k", "v", "k"], ["k", "v", "k"], ["v", "v", "v", "v", "v", "v"]]`
	for _, size := range []int{0, chunkSize} {
		for slide := range 64 {
			// Text of a length that moves the rest towards the boundary.
			filler := strings.Repeat("x", max(size-slide, 1))
			data := "\x80\x04](X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(filler)))) + filler +
				"\x94" +
				"](\x8c\x01k\x94\x8c\x01v\x94h\x01e](h\x01h\x02h\x01e](h\x02h\x02h\x02h\x02h\x02h\x02ee."
			res, err := Stream(strings.NewReader(data), 0, keeper{}, Limits{})
			if err != nil {
				t.Fatalf("%d bytes before a boundary: %v", slide, err)
			}
			if got := strings.Replace(dump(res.Heap, res.Root), filler, "x", 1); got != want {
				t.Fatalf("%d bytes before a boundary: got %s, want %s", slide, got, want)
			}
		}
	}
}

// TestEveryCut cuts a pickle at every byte: each is truncated and nothing else.
func TestEveryCut(t *testing.T) {
	data := encode(t, 4, func(e *Encoder) {
		e.Dict(2, func(i int) {
			e.Shared([]string{"a", "long " + strings.Repeat("x", 300)}[i])
			e.List(3, func(j int) { e.Uint(uint64(j) << 62) })
		})
	})
	for cut := range data {
		_, _, err1, err2 := both(t, data[:cut], Limits{})
		if !errors.Is(err1, ErrTruncated) || !errors.Is(err2, ErrTruncated) {
			t.Errorf("cut at %d of %d: stream %v, load %v", cut, len(data), err1, err2)
		}
	}
}

func TestBytesBehindStop(t *testing.T) {
	data := encode(t, 4, everything)
	res, err := Stream(bytes.NewReader(append(bytes.Clone(data), "\x00\x00more"...)), 0, keeper{}, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if res.Bytes != int64(len(data)) {
		t.Errorf("STOP after %d bytes, found after %d", len(data), res.Bytes)
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		name, data string
		stream     error
		load       error
		says       string // in the error of the decoder that decides
	}{
		{"empty", "", ErrTruncated, ErrTruncated, "empty"},
		{"one byte", "\x80", ErrTruncated, ErrTruncated, "one byte"},
		{"no such opcode", "\x80\x02\xff", ErrMalformed, ErrMalformed, "byte 2 (opcode 0xff)"},
		{"unknown protocol", "\x80\x06N.", ErrNotPickle, ErrNotPickle, "protocol 6"},
		{"text", "hello, world\n", ErrOtherWay, ErrNotPickle, `begins with "hello, world\n"`},
		{"html", "<!DOCTYPE html>", ErrNotPickle, ErrNotPickle, `begins with "<!DOCTYPE html>"`},
		{"os.system by GLOBAL", "\x80\x02cposix\nsystem\nX\x02\x00\x00\x00id\x85R.", ErrOtherWay, ErrForbidden,
			`"posix.system"`},
		{"os.system by STACK_GLOBAL", "\x80\x04\x8c\x02os\x94\x8c\x06system\x94\x93\x8c\x02id\x85R.", ErrOtherWay,
			ErrForbidden, `"os.system"`},
		{"os.system, protocol 0", "cos\nsystem\n(S'id'\ntR.", ErrOtherWay, ErrForbidden, `"os.system"`},
		{"a computed global", "\x80\x04\x8c\x02os\x8c\x06system2\x30\x8c\x06system\x93.", ErrOtherWay, ErrForbidden,
			"computed"},
		{"gopickle's own classes", "\x80\x02ccopy_reg\n_reconstructor\n)R.", ErrOtherWay, ErrForbidden,
			`"copy_reg._reconstructor"`},
		{"an instance", "(icollections\nOrderedDict\n.", ErrOtherWay, ErrForbidden, "instance"},
		{"persistent id", "\x80\x02Nq\x00Q.", ErrOtherWay, ErrForbidden, "BINPERSID"},
		{"a string of 2^40 bytes", "\x80\x04\x8d\x00\x00\x00\x00\x00\x01\x00\x00.", ErrOtherWay, ErrLimit,
			"1099511627776 bytes"},
		{"a string of 2^31 bytes", "\x80\x04X\x00\x00\x00\x80.", ErrLimit, ErrLimit, "2147483648 bytes"},
		{"a memo entry of 2^31", "\x80\x02Nr\x00\x00\x00\x80.", ErrLimit, nil, "memo entry 2147483648"},
		{"a memo entry that is not there", "\x80\x02h\x05.", ErrMalformed, ErrMalformed, "memo entry 5"},
		{"a frame longer than the file", "\x80\x04\x95\xff\xff\xff\xff\x00\x00\x00\x00N.", nil, ErrTruncated,
			"a frame of 4294967295 bytes"},
		{"no mark", "\x80\x02]e.", ErrMalformed, ErrMalformed, "no mark"},
		{"a key without a value", "\x80\x02}(Nu.", ErrMalformed, ErrMalformed, "a key without a value"},
		{"items for a list in a dict", "\x80\x02}(Ne.", ErrMalformed, ErrMalformed, "another kind of container"},
		{"nothing at STOP", "\x80\x02.", ErrMalformed, ErrMalformed, "0 values and 0 marks are left at STOP"},
		{"a huge integer", "\x80\x02\x8b\xff\xff\xff\x7f.", ErrOtherWay, ErrLimit, "2147483647 bytes"},
		{"deep", "\x80\x02" + strings.Repeat("](", 300) + ".", ErrLimit, ErrLimit, "inside one another"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.says == "" {
				t.Fatal("the row expects no words")
			}
			_, _, err1, err2 := both(t, []byte(tt.data), Limits{})
			if !errors.Is(err1, tt.stream) {
				t.Errorf("stream: %v, want %v", err1, tt.stream)
			}
			if !errors.Is(err2, tt.load) {
				t.Errorf("load: %v, want %v", err2, tt.load)
			}
			decides := err1
			if errors.Is(err1, ErrOtherWay) {
				decides = err2
			}
			if decides == nil {
				decides = err2
			}
			if !strings.Contains(decides.Error(), tt.says) {
				t.Errorf("%q does not say %q", decides, tt.says)
			}
			var located *Error
			if !errors.As(decides, &located) {
				t.Errorf("%v does not say where", decides)
			}
		})
	}
}

// TestOtherWay has handwritten pickles that only Load can decode.
func TestOtherWay(t *testing.T) {
	for _, tt := range []struct{ name, data, want string }{
		{"protocol 0", "(dp0\nVa\np1\nI5\nsVb\np2\n(lp3\nL7L\naI01\nas.", `{"a": 5, "b": [7, True]}`},
		{"protocol 1", "}q\x00(U\x01aK\x05U\x01b]q\x01(K\x01K\x02eu.", `{"a": 5, "b": [1, 2]}`},
		{"OrderedDict", "\x80\x02ccollections\nOrderedDict\n)Rq\x00(U\x01aK\x01U\x01bK\x02u.", `{"a": 1, "b": 2}`},
		{"defaultdict", "\x80\x02ccollections\ndefaultdict\nc__builtin__\nlist\n\x85RU\x01aK\x01s.", `{"a": 1}`},
		{"a tagged list", "\x80\x02ctorch.jit._pickle\nrestore_type_tag\n](K\x01K\x02eX\x01\x00\x00\x00t\x86R.",
			`[1, 2]`},
		{"a list of ints", "\x80\x02ctorch.jit._pickle\nbuild_intlist\n](K\x01K\x02e\x85R.", `[1, 2]`},
		{"a set", "\x80\x04c__builtin__\nset\n](K\x01e\x85R.", `[1]`},
		{"itself inside", "\x80\x02]q\x00h\x00a.", `[...]`},
		{"integers of no bytes", "\x80\x04\x95\x0a\x00\x00\x00\x00\x00\x00\x00](\x8a\x00\x8b\x00\x00\x00\x00e.",
			`[0, 0]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, err := Load(strings.NewReader(tt.data), keeper{}, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if got := dump(res.Heap, res.Root); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestPython compares both decoders, and the Encoder, with CPython.
func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 on this machine")
	}
	const object = `{"a": [1, -1, 255, 256, 65536, 2**31, -2**31-1, 2**63-1, -2**63, 2**64-1], "b": {"c": (1, 2), "d": (), "e": (1,), "f": (1, 2, 3, 4)},
		"g": [None, True, False, 0.5], "h": "\u00e9\u2028", "i": ["x"] * 2500, "j": [[]] * 3, "k": {}}`
	const want = `{"a": [1, -1, 255, 256, 65536, 2147483648, -2147483649, 9223372036854775807, -9223372036854775808, 18446744073709551615], "b": {"c": (1, 2), "d": (), "e": (1), "f": (1, 2, 3, 4)}, "g": [None, True, False, 0.5], "h": "é\u2028", "i": [`
	for protocol := range 6 {
		out, err := exec.Command(python, "-c",
			fmt.Sprintf("import pickle,sys; sys.stdout.buffer.write(pickle.dumps(%s, %d))", object, protocol)).Output()
		if err != nil {
			t.Fatal(err)
		}
		stream, load, err1, err2 := both(t, out, Limits{})
		if err2 != nil {
			t.Fatalf("protocol %d: %v", protocol, err2)
		}
		if protocol >= 2 && (err1 != nil || stream != load) {
			t.Errorf("protocol %d: %v\nstream %s\nload   %s", protocol, err1, stream, load)
		}
		if !strings.Contains(load, want) {
			t.Errorf("protocol %d:\ngot  %s\nwant %s", protocol, load, want)
		}
	}
	for protocol := 2; protocol <= 5; protocol++ {
		cmd := exec.Command(python, "-c",
			"import pickle,sys; d=sys.stdin.buffer.read(); "+
				"sys.stdout.buffer.write(pickle.dumps(pickle.loads(d), d[1]))")
		data := encode(t, protocol, everything)
		cmd.Stdin = bytes.NewReader(data)
		again, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again, data) {
			t.Errorf("protocol %d: CPython pickles what we wrote into %d other bytes, ours are %d", protocol,
				len(again), len(data))
		}
	}
}
