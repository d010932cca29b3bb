package files

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// A matrix becomes the points that a file of its numbers becomes, raw and encoded, and faults name its rows.
func TestFromMatrix(t *testing.T) {
	nan := math.NaN()
	whole, gap := []float64{1e9 + 1, 2, 1e9 + 2, 3.5, 1e9 + 5, -1}, []float64{1, 2, nan, 3, 4, 4, 0, 1}
	for name, c := range map[string]struct {
		x    []float64
		text string
		make func(in *Input) error
	}{
		"raw": {whole, "a,b\n1000000001,2\n1000000002,3.5\n1000000005,-1\n", (*Input).Raw},
		"encoded": {gap, "a,b\n1,2\n,3\n4,4\n0,1\n", func(in *Input) error {
			_, err := in.Encode(true)
			return err
		}},
	} {
		path := filepath.Join(t.TempDir(), "x.csv")
		must.M(os.WriteFile(path, []byte(c.text), 0o644))
		want := must.M1(Read(path, DefaultOptions()))
		got := FromMatrix("X", c.x, 2, []string{"a", "b"})
		if plain := name == "raw"; got.IsPlain() != plain || !got.IsMixed() || got.Len() != len(c.x)/2 {
			t.Errorf("%s: plain %v, mixed %v, %d points", name, got.IsPlain(), got.IsMixed(), got.Len())
		}
		must.M(c.make(want))
		must.M(c.make(got))
		if !reflect.DeepEqual(got.X, want.X) || !reflect.DeepEqual(got.Origin, want.Origin) ||
			!reflect.DeepEqual(got.Encoding, want.Encoding) || !reflect.DeepEqual(got.Notes, want.Notes) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	err := FromMatrix("X", gap, 2, nil).Raw()
	if err == nil || !strings.HasPrefix(err.Error(), `X: row 2, column "x1"`) {
		t.Errorf("a gap: %v", err)
	}
}
