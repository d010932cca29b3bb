package files

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/gfncp/gfncp/internal/usererr"
)

func TestReadIDX(t *testing.T) {
	a, err := ReadIDX("f", iotest.OneByteReader(bytes.NewReader(idxBytes([]int{2, 1, 3}, 1, 2, 3, 4, 5, 255))), 3)
	if err != nil || !slices.Equal(a.Dims, []int{2, 1, 3}) || !slices.Equal(a.Values, []byte{1, 2, 3, 4, 5, 255}) {
		t.Errorf("%+v %v", a, err)
	}
}

func TestIDXFaults(t *testing.T) {
	float := idxBytes([]int{1, 1, 1}, 0, 0, 0, 0)
	float[2] = 0x0d
	for name, test := range map[string]struct {
		raw  []byte
		want string
	}{
		"empty":          {nil, "not an IDX file"},
		"wrong magic":    {[]byte("%PDF-1.4"), "not an IDX file: it starts with the bytes 25 50 44 46"},
		"unknown type":   {[]byte{0, 0, 7, 3}, "not an IDX file"},
		"floats":         {float, "values of type float"},
		"labels":         {idxBytes([]int{2}, 1, 2), "holds labels, not images"},
		"two dimensions": {idxBytes([]int{1, 2}, 1, 2), "has 2 dimensions, not 3"},
		"header cut":     {idxBytes([]int{1, 1, 1})[:10], "cut short in its header"},
		"cut":            {idxBytes([]int{1, 2, 2}, 1, 2, 3), "cut short: 3 of 1×2×2 values"},
		"too many":       {idxBytes([]int{1, 1, 1}, 1, 2), "more than the 1×1×1 values"},
		"no images":      {idxBytes([]int{0, 28, 28}), "claims 0×28×28 values"},
		"absurd": {
			idxBytes([]int{1 << 31, 1 << 31, 1 << 31}),
			"claims 2147483648×2147483648×2147483648 values",
		},
		// 1 GiB claimed
		"claims too much": {idxBytes([]int{1 << 20, 32, 32}, 7), "cut short: 1 of 1048576×32×32 values"},
	} {
		t.Run(name, func(t *testing.T) {
			wantLittleMemory(t, func() {
				_, err := ReadIDX("some/file", bytes.NewReader(test.raw), 3)
				wantUserError(t, err, "some/file: ", test.want)
			})
		})
	}
}

func TestIDXReadingError(t *testing.T) {
	broken := errors.New("broken")
	raw := idxBytes([]int{1, 1, 2}, 1)
	for _, n := range []int{0, 3, 10, len(raw)} {
		_, err := ReadIDX("f", iotest.TimeoutReader(iotest.DataErrReader(&failing{raw[:n], broken})), 3)
		if !errors.Is(err, broken) || usererr.Is(err) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

// failing gives some bytes, then an error.
type failing struct {
	rest []byte
	err  error
}

// Read implements io.Reader.
func (f *failing) Read(p []byte) (int, error) {
	if len(f.rest) == 0 {
		return 0, f.err
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// FuzzIDX: whatever the bytes, there is either an array as large as its dimensions say, or a fault of the user.
func FuzzIDX(f *testing.F) {
	f.Add([]byte{})
	f.Add(idxBytes([]int{1, 1, 2}, 1, 2))
	f.Add(idxBytes([]int{1, 1, 2}, 1))
	f.Add(idxBytes([]int{1 << 30, 1 << 30, 4}))
	f.Add([]byte{0, 0, 0x0d, 3, 0})
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := ReadIDX("f", bytes.NewReader(raw), 3)
		switch {
		case err != nil && !usererr.Is(err):
			t.Errorf("%v is no fault of the user", err)
		case err == nil &&
			(len(a.Values) != a.Dims[0]*a.Dims[1]*a.Dims[2] || !bytes.HasSuffix(raw, a.Values) ||
				len(raw) != 16+len(a.Values)):
			t.Errorf("dimensions %v of %d values from %d bytes", a.Dims, len(a.Values), len(raw))
		}
	})
}
