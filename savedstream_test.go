package gfncp

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

func openOnline(t *testing.T) *Model {
	t.Helper()
	m := must.M1(Open(filepath.Join(weights, "mog-gfncp-online.safetensors"), On("go")))
	t.Cleanup(m.Close)
	return m
}

// A stream that was kept in a file goes on as if it had never stopped, to the last bit.
func TestResumeStream(t *testing.T) {
	m, path := openOnline(t), filepath.Join(t.TempDir(), "stream")
	const n = 30
	x, _ := points(n)
	o := StreamOptions{Samples: 4, Seed: 3, Center: []float32{1, -2}, Factor: 0.5}
	whole, parts := must.M1(m.Stream(o)), must.M1(m.Stream(o))
	for i := range n {
		if i%7 == 0 {
			must.M(parts.Save(path, map[string]int{"at": i}))
			note := map[string]int{}
			parts = must.M1(m.ResumeStream(path, &note))
			if note["at"] != i || parts.Points() != i || !reflect.DeepEqual(parts.Options(), o) {
				t.Errorf("at point %d: note %v, %d points, options %+v", i, note, parts.Points(), parts.Options())
			}
		}
		want, got := must.M1(whole.Next(x[2*i:2*i+2])), must.M1(parts.Next(x[2*i:2*i+2]))
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("point %d: %+v, want %+v", i, got, want)
		}
	}
}

// Every byte that is flipped, and every end that is missing, is told; so are other files and other models.
func TestDamagedStream(t *testing.T) {
	m, path := openOnline(t), filepath.Join(t.TempDir(), "stream")
	s := must.M1(m.Stream(StreamOptions{Samples: 1}))
	x, _ := points(5)
	for i := range 5 {
		must.M1(s.Next(x[2*i : 2*i+2]))
	}
	must.M(s.Save(path, nil))
	good := must.M1(os.ReadFile(path))
	refused := func(what string, content []byte, want string) {
		t.Helper()
		must.M(os.WriteFile(path, content, 0o644))
		var fault *Error
		if _, err := m.ResumeStream(path, nil); !errors.As(err, &fault) || !strings.Contains(err.Error(), want) ||
			fault.Path != path {
			t.Errorf("%s: %v", what, err)
		}
	}
	for at := 0; at < len(good); at += 1 + len(good)/150 {
		bad := append([]byte{}, good...)
		bad[at] ^= 4
		refused("a flipped bit", bad, "")
		refused("a missing end", good[:at], "")
	}
	refused("no file of ours", must.M1(os.ReadFile(filepath.Join(weights, "mog-ncp.safetensors"))), "is no stream")
	must.M(os.WriteFile(path, good, 0o644))
	if _, err := open2D(t).ResumeStream(path, nil); err == nil || !strings.Contains(err.Error(), "mog-gfncp-online") {
		t.Errorf("another model: %v", err)
	}
	if _, err := m.ResumeStream(path+"x", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// Faults of options and points are told, and leave the stream as it was.
func TestStreamFaults(t *testing.T) {
	m := openOnline(t)
	for want, o := range map[string]StreamOptions{
		"Samples = -1":             {Samples: -1},
		"Center has 3 coordinates": {Center: make([]float32, 3)},
		"Factor = -1":              {Factor: -1},
	} {
		if _, err := m.Stream(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", o, err, want)
		}
	}
	s := must.M1(m.Stream(StreamOptions{Center: []float32{3, 4}, Factor: 2}))
	nan := float32(0)
	for _, x := range [][]float32{{1}, {1, nan / nan}, {3e38, 0}} {
		var fault *Error
		if _, err := s.Next(x); !errors.As(err, &fault) || s.Points() != 0 {
			t.Errorf("point %v: %v, %d points", x, err, s.Points())
		}
	}
	plain := must.M1(m.Stream(StreamOptions{}))
	for _, x := range [][]float32{{4, 4}, {9, 1}} {
		got, want := must.M1(s.Next(x)), must.M1(plain.Next([]float32{2 * (x[0] - 3), 2 * (x[1] - 4)}))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("point %v: %+v, want %+v", x, got, want)
		}
	}
}
