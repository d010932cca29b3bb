package vision

import (
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
)

var goBackend = sync.OnceValue(func() compute.Backend { return must.M1(must.M1(engine.Choose("go")).Open()) })

// normals returns n normal values.
func normals(rng *rand.Rand, n int, mean, scale float64) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(mean + scale*rng.NormFloat64())
	}
	return values
}

// drawn returns a network's weights such that no part of it is idle: matrices keep the size of their input, so that
// attention is far from uniform, norms scale by about 1, and no bias or embedding is zero.
func drawn(c Config, seed uint64) models.Params {
	rng := rand.New(rand.NewPCG(seed, 0))
	ps := c.Layout()
	for i, p := range ps {
		size, out := 1, p.Shape[0]
		for _, d := range p.Shape {
			size *= d
		}
		mean, scale := 0.0, 0.3
		switch {
		case strings.HasSuffix(p.Name, ".weight") && len(p.Shape) == 1:
			mean = 1
		case strings.HasSuffix(p.Name, ".weight"):
			scale = 1 / math.Sqrt(float64(size/out))
		}
		ps[i].Data = normals(rng, size, mean, scale)
	}
	return ps
}

// tensorsOf are weights as tensors of a file.
func tensorsOf(ps models.Params) []safetensors.Tensor {
	var all []safetensors.Tensor
	for _, p := range ps {
		all = append(all, must.M1(safetensors.FromFloat32s(p.Name, p.Shape, p.Data)))
	}
	return all
}

// writeTensors writes a safetensors file and returns its path.
func writeTensors(path string, metadata map[string]string, all ...safetensors.Tensor) string {
	must.M(atomicfile.Write(path, func(w io.Writer) error {
		return safetensors.Encode(w, &safetensors.File{Metadata: metadata, Tensors: all})
	}))
	return path
}

// wantUserError checks that an error is a user's fault whose line has all words.
func wantUserError(t *testing.T, err error, words ...string) {
	t.Helper()
	if !usererr.Is(err) {
		t.Errorf("got %v, want a usererr.Error", err)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%v\ndoes not say %q", err, word)
		}
	}
}
