package models_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

func TestBlockLayouts(t *testing.T) {
	if got, want := describe(models.MLPLayout("a", 3, 5, 2)),
		"a.0.weight[3 5] a.0.bias[5] a.1.weight[5 2] a.1.bias[2]"; got != want {
		t.Errorf("MLPLayout = %s, want %s", got, want)
	}
	const mlp = "e.0.weight[3 16] e.0.bias[16] e.1.weight[16 16] e.1.bias[16] e.2.weight[16 16] e.2.bias[16] " +
		"e.3.weight[16 16] e.3.bias[16] e.4.weight[16 8] e.4.bias[8]"
	if got := describe(smallConfig(false).EncoderLayout("e")); got != mlp {
		t.Errorf("EncoderLayout = %s, want %s", got, mlp)
	}
	const conv = "e.0.weight[5 5 1 10] e.0.bias[10] e.1.weight[5 5 10 20] e.1.bias[20] e.2.weight[320 256] " +
		"e.2.bias[256] e.3.weight[256 128] e.3.bias[128]"
	if got := describe(models.DefaultImages().EncoderLayout("e")); got != conv {
		t.Errorf("EncoderLayout of images = %s, want %s", got, conv)
	}
}

// layerByHand is x·W + b of one layer in float64; rows of x have the width of W.
func layerByHand(x [][]float64, w, b models.Param) [][]float64 {
	out := w.Shape[1]
	y := make([][]float64, len(x))
	for i, row := range x {
		y[i] = make([]float64, out)
		for j := range out {
			y[i][j] = float64(b.Data[j])
			for k, v := range row {
				y[i][j] += v * float64(w.Data[k*out+j])
			}
		}
	}
	return y
}

// An MLP is its layers one after the other with a ReLU between them and none at the end; the encoder of vectors is one.
func TestMLPByHand(t *testing.T) {
	config := smallConfig(false)
	for name, test := range map[string]struct {
		layout models.Params
		build  func(x *graph.Node, weights []*graph.Node) *graph.Node
	}{
		"MLP": {models.MLPLayout("a", 3, 5, 4), models.MLP},
		"encoder": {config.EncoderLayout("a"), func(x *graph.Node, weights []*graph.Node) *graph.Node {
			return config.EncodePoints(x, weights, nil)
		}},
	} {
		const m = 6
		params := test.layout.Init(rand.New(rand.NewPCG(1, 2)))
		flat, _ := randomSets(rand.New(rand.NewPCG(3, 4)), 1, m, 3)
		f := must.M1(engine.NewFunc(goBackend(), name, func(in []*graph.Node) []*graph.Node {
			return []*graph.Node{test.build(in[0], in[1:])}
		}))
		out := must.M1(
			f.Call(append([]*tensors.Tensor{tensors.FromFlatDataAndDimensions(flat, m, 3)}, params.Tensors()...)...),
		)
		got := must.M1(engine.Float32s(out[0]))

		want := make([][]float64, m)
		for i := range want {
			for _, v := range flat[3*i : 3*i+3] {
				want[i] = append(want[i], float64(v))
			}
		}
		negative := false
		for l := 0; l < len(params); l += 2 {
			for _, row := range want {
				for j, v := range row {
					if l > 0 {
						row[j] = math.Max(0, v)
					}
				}
			}
			want = layerByHand(want, params[l], params[l+1])
			negative = slices.ContainsFunc(want, func(row []float64) bool { return slices.Min(row) < 0 })
		}
		if !negative {
			t.Errorf("%s: no output is negative, so a last ReLU would not be seen", name)
		}
		width := len(want[0])
		for i, row := range want {
			for j, v := range row {
				if !(math.Abs(float64(got[i*width+j])-v) <= 1e-5*math.Max(1, math.Abs(v))) {
					t.Errorf("%s: value %d of row %d is %v, want %v", name, j, i, got[i*width+j], v)
				}
			}
		}
	}
}

// More points than are encoded at once, and just as many, have the embeddings that they have in parts.
func TestEncodeInParts(t *testing.T) {
	config := smallConfig(false)
	net, _ := newPair(config, 31)
	const most = 2048
	x, _ := randomSets(rand.New(rand.NewPCG(32, 0)), 1, most+37, config.Dim)
	h, u, err := net.Encode(x, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range [][2]int{{0, most}, {most - 5, most + 5}, {most, most + 37}} {
		from, to := part[0], part[1]
		partH, partU, err := net.Encode(x[from*config.Dim:to*config.Dim], 1)
		if err != nil {
			t.Fatal(err)
		}
		assertSame(t, "h'", partH, h[from*config.Hidden:to*config.Hidden])
		assertSame(t, "u'", partU, u[from*config.Hidden:to*config.Hidden])
	}
}
