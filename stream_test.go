package gfncp

import (
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// Faults of points are told, and leave the stream as it was. A stream like a clustering takes its centre
// and its scale.
func TestStreams(t *testing.T) {
	m := must.M1(Open(filepath.Join(weights, "mog-gfncp-online.safetensors"), onGo()))
	t.Cleanup(m.Close)
	_, like, _ := clustered(t, "mog-ncp")
	like.Network.Center, like.Network.Factor = []float32{3, 4}, 2
	s := must.M1(m.Stream(like))
	zero := 0.0
	for _, x := range [][]float64{{1}, {1, zero / zero}, {3e38, 0}} {
		var fault *Error
		if _, err := s.Next(x); !errors.As(err, &fault) || s.Points() != 0 {
			t.Errorf("point %v: %v, %d points", x, err, s.Points())
		}
	}
	plain := must.M1(m.Stream(nil))
	for _, x := range [][]float64{{4, 4}, {9, 1}} {
		got, want := must.M1(s.Next(x)), must.M1(plain.Next([]float64{2 * (x[0] - 3), 2 * (x[1] - 4)}))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("point %v: %+v, want %+v", x, got, want)
		}
	}
	if far := must.M1(s.Next([]float64{-70, 0})).Warning; !strings.Contains(far, "point 3 lies at") {
		t.Errorf("warning %q", far)
	}
	far := []float64{3e5, 0}
	if _, err := s.Next(far); !errors.Is(err, ErrNotFinite) || s.Points() != 3 {
		t.Errorf("a point too far out: %v, %d points", err, s.Points())
	}
	like.columns.names = nil
	if _, err := m.Stream(like); err == nil || !strings.Contains(err.Error(), "no clustering of points with one") {
		t.Errorf("of images: %v", err)
	}
}
