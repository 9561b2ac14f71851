package container

import (
	"cmp"
	"fmt"
	"io"
)

// Limits bound what unpacking may cost. Zero fields take the values of
// DefaultLimits.
type Limits struct {
	Layers         int   // containers inside one another
	Bytes          int64 // of any layer, unpacked
	Ratio          int64 // of unpacked to packed bytes, once more than FreeBytes are unpacked
	FreeBytes      int64
	HeldBytes      int64 // of a zip that is held in memory because it can be read only once
	DirectoryBytes int64 // of the list of entries of a zip

	// Salvage reads the first file of a zip whose list of entries is missing. Payload.Cut
	// says so.
	Salvage bool
}

// DefaultLimits leave room for any real snapshot: real ones compress 20 to 40 times, bombs
// 1,000 times and more.
var DefaultLimits = Limits{
	Layers:         4,
	Bytes:          64 << 30,
	Ratio:          250,
	FreeBytes:      128 << 20,
	HeldBytes:      64 << 20,
	DirectoryBytes: 4 << 20,
}

func (l Limits) withDefaults() Limits {
	d := DefaultLimits
	return Limits{
		Layers:         cmp.Or(l.Layers, d.Layers),
		Bytes:          cmp.Or(l.Bytes, d.Bytes),
		Ratio:          cmp.Or(l.Ratio, d.Ratio),
		FreeBytes:      cmp.Or(l.FreeBytes, d.FreeBytes),
		HeldBytes:      cmp.Or(l.HeldBytes, d.HeldBytes),
		DirectoryBytes: cmp.Or(l.DirectoryBytes, d.DirectoryBytes),
		Salvage:        l.Salvage,
	}
}

// counter counts the packed bytes read of a layer.
type counter struct {
	io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	return n, err
}

// bounded reads the unpacked bytes of a layer and names the layer in errors.
type bounded struct {
	io.Reader
	layer  Kind
	limits Limits
	packed func() int64 // packed bytes read
	n      int64        // unpacked bytes read
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.n += int64(n)
	switch packed := b.packed(); {
	case b.n > b.limits.Bytes:
		return 0, &LimitError{"bytes", fmt.Sprintf("%s of more than %d bytes when unpacked", b.layer, b.limits.Bytes)}
	case b.n > b.limits.FreeBytes && b.n/b.limits.Ratio > packed:
		return 0, &LimitError{"ratio",
			fmt.Sprintf("%s that unpacks to more than %d times its size, which a snapshot does not", b.layer,
				b.limits.Ratio)}
	case err != nil && err != io.EOF:
		return n, damaged(b.layer, err)
	}
	return n, err
}
