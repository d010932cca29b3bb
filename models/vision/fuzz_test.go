package vision

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
)

// FuzzReadPicture: any bytes are a picture of finite numbers or a fault of the user.
func FuzzReadPicture(f *testing.F) {
	for _, path := range must.M1(filepath.Glob("testdata/*")) {
		raw := must.M1(os.ReadFile(path))
		f.Add(raw)
		f.Add(raw[:len(raw)/2])
	}
	const size = 8
	path := filepath.Join(f.TempDir(), "f.png")
	f.Fuzz(func(t *testing.T, raw []byte) {
		must.M(os.WriteFile(path, raw, 0o644))
		x, err := ReadPicture(path, size)
		if err != nil {
			if !usererr.Is(err) {
				t.Errorf("got %v", err)
			}
			return
		}
		if len(x) != channels*size*size {
			t.Fatalf("%d numbers", len(x))
		}
		for i, v := range x {
			if !(math.Abs(float64(v)) < 10) {
				t.Fatalf("number %d is %v", i, v)
			}
		}
	})
}
