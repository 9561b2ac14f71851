package pickle

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// TestLength finds the end of a pickle with trailing data, and reports a missing end.
func TestLength(t *testing.T) {
	for protocol := 2; protocol <= 5; protocol++ {
		data := encode(t, protocol, everything)
		if n, ok := Length(append(bytes.Clone(data), "more."...)); !ok || n != len(data) {
			t.Errorf("protocol %d: %d, %t; want %d", protocol, n, ok, len(data))
		}
	}
	for _, text := range []string{"", "\x80", "\x80\x02", "\x80\x02X\x05\x00\x00\x00ab.", "\x80\x02\xff.", "I12",
		"cos\nsystem", "\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff."} {
		if n, ok := Length([]byte(text)); ok {
			t.Errorf("%q has a length of %d", text, n)
		}
	}
}

// TestUnicodeEscapes compares the decoding of protocol 0 text with CPython's.
func TestUnicodeEscapes(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 on this machine")
	}
	lines := []string{``, `plain`, `\u00e9`, `\U0001f600x`, `a\\u00e9`, `a\\\u00e9`, `\\\\`, `C:\dir\n`, "\xe9\xff",
		`\u2028\u005c\u000a`, `ends \`}
	data := []byte("(lV" + strings.Join(lines, "\naV") + "\na.")
	cmd := exec.Command(python, "-c",
		"import pickle,sys; sys.stdout.buffer.write('\\0'.join(pickle.load(sys.stdin.buffer)).encode())")
	cmd.Stdin = bytes.NewReader(data)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(out), "\x00")
	res, err := Load(bytes.NewReader(data), keeper{}, Limits{})
	if err != nil || len(want) != len(lines) {
		t.Fatalf("%v, and CPython reads %q", err, want)
	}
	for i, v := range res.Heap.Items(res.Root) {
		if got := res.Heap.Strings[v.Index()]; got != want[i] {
			t.Errorf("%q reads as %q, CPython reads %q", lines[i], got, want[i])
		}
	}
}
