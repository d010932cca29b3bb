package gfncp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/metrics"
)

// Every part of a saved clustering is altered, with a right checksum: it is left out, emptied, shortened, or another
// number. Reading it and predicting by it then fails or gives rows that sum to one; it never panics.
func TestAlteredClusterings(t *testing.T) {
	short.Skip(t, "reads thousands of files")
	penguins := must.M1(ReadPoints("examples/penguins.csv", nil))
	rng := data.Rand(1, "saved", 0)
	x := make([]float64, 2*12)
	for i := range x {
		x[i] = 9*float64(i%3) + rng.NormFloat64()
	}
	plane := must.M1(NewPoints(x, 12, "x", "y"))
	for name, test := range map[string]struct {
		points *Points
		model  string
	}{"table": {penguins, ""}, "network": {plane, "mog-gfncp-free"}} {
		t.Run(name, func(t *testing.T) {
			o := DefaultOptions()
			o.Samples, o.Model, o.Backend = 3, test.model, "go"
			c := must.M1(Cluster(t.Context(), test.points, o))
			o.Model = ""
			var m *Model
			if test.model != "" {
				m = must.M1(Open(test.model, o))
				defer m.Close()
			}
			var file savedFile
			must.M(json.Unmarshal(must.M1(c.Encode()), &file))
			var content any
			must.M(json.Unmarshal(file.Clustering, &content))
			tried, read := 0, 0
			alter(content, func(path string) {
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("%s: %v", path, p)
					}
				}()
				file.Clustering = must.M1(json.Marshal(content))
				file.SHA256 = digest(file.Clustering)
				tried++
				altered, err := Decode("altered", must.M1(json.Marshal(file)))
				if err != nil || m != nil && altered.Use(m) != nil {
					return
				}
				read++
				_, err = altered.Predict(t.Context(), test.points, o)
				if err != nil && strings.Contains(err.Error(), "panic") {
					t.Errorf("%s: %v", path, err)
				}
			})
			t.Logf("%d alterations, %d of them were read", tried, read)
		})
	}
}

// alter calls try with each alteration of a part of a JSON value in place, one at a time. Of long lists it alters the
// first and the last part.
func alter(value any, try func(path string)) {
	each := func(path string, old any, set func(any)) {
		for _, other := range othersOf(old) {
			set(other)
			try(fmt.Sprintf("%s = %.60v", path, other))
		}
		set(old)
		alter(old, func(below string) { try(path + "/" + below) })
	}
	switch value := value.(type) {
	case map[string]any:
		for key, old := range value {
			delete(value, key)
			try(key + " left out")
			each(key, old, func(v any) { value[key] = v })
		}
	case []any:
		for i, old := range value {
			if i == 0 || i == len(value)-1 {
				each(strconv.Itoa(i), old, func(v any) { value[i] = v })
			}
		}
	}
}

// othersOf are values in the place of a part of a clustering.
func othersOf(old any) []any {
	others := []any{nil}
	switch old := old.(type) {
	case float64:
		others = append(others, -1.0, 0.0, 1e9, 1e300)
	case string:
		others = append(others, "", "AAAA")
	case bool:
		others = append(others, !old)
	case []any:
		others = append(others, []any{})
		if len(old) > 0 {
			others = append(others, old[1:], append(slices.Clone(old), old[0]))
		}
	}
	return others
}

// FuzzRead: any clustering behind a right checksum, and any file, is one that predicts a point or a fault.
func FuzzRead(f *testing.F) {
	m := opened(f, "mog-ncp")
	x, _ := trainingSet(12)
	o := DefaultOptions()
	o.Samples = 3
	path := filepath.Join(f.TempDir(), "c.json")
	must.M(must.M1(m.Cluster(f.Context(), pointsOf(x, 12), o)).Save(path))
	one := must.M1(NewPoints([]float64{1, 2}, 1, "x", "y"))
	var file savedFile
	whole := must.M1(os.ReadFile(path))
	must.M(json.Unmarshal(whole, &file))
	f.Add([]byte(file.Clustering), true)
	f.Add(whole, false)
	f.Add([]byte(`{"dim": -1, "points": "AAAA", "labels": [0], "samples": [{}]}`), true)
	f.Add([]byte(`{"view": {}, "dim": 2, "points": "AAAAAAAAAAA=", "labels": [0], "factor": 1}`), true)
	f.Fuzz(func(t *testing.T, text []byte, sealed bool) {
		if sealed {
			compact := new(bytes.Buffer)
			if json.Compact(compact, text) != nil {
				return
			}
			text = must.M1(json.Marshal(savedFile{savedFormat, savedVersion, digest(compact.Bytes()), text}))
		}
		must.M(os.WriteFile(path, text, 0o644))
		s, err := Read(path)
		var fault *Error
		if err != nil {
			if !errors.As(err, &fault) || strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("no one-line fault: %q", err)
			}
			return
		}
		if s.Table == nil {
			if len(s.Network.Labels) > 50 || len(s.Network.X) > 100 {
				return // takes its time
			}
			s.model = m
		}
		p, err := s.Predict(t.Context(), one, nil)
		if err != nil {
			if !errors.As(err, &fault) && !errors.Is(err, metrics.ErrLength) && !errors.Is(err, ErrNotFinite) {
				t.Errorf("no fault of the clustering: %v", err)
			}
			return
		}
		if !(math.Abs(floats.Sum(p.Probabilities[0])-1) <= 1e-6) {
			t.Errorf("probabilities %v", p.Probabilities[0])
		}
	})
}
