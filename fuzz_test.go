package gfncp

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/metrics"
)

// FuzzRead: any clustering behind a right checksum, and any file, is one that predicts a point or a fault.
func FuzzRead(f *testing.F) {
	m := must.M1(Open(filepath.Join(weights, "mog-ncp.safetensors"), onGo()))
	f.Cleanup(m.Close)
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
		total := 0.0
		for _, v := range p.Probabilities[0] {
			total += v
		}
		if !(math.Abs(total-1) <= 1e-6) {
			t.Errorf("probabilities %v", p.Probabilities[0])
		}
	})
}
