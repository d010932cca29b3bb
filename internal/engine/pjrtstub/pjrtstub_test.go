package pjrtstub_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/pjrtstub"
)

func open(t *testing.T, options string) compute.Backend {
	t.Helper()
	backend := must.M1(must.M1(engine.Choose("xla:" + pjrtstub.Plugin(t) + options)).Open())
	t.Cleanup(backend.Finalize)
	return backend
}

func squares(in []*Node) []*Node { return []*Node{Mul(in[0], in[0]), ReduceAllSum(in[0])} }

// A program goes through go-xla to the plugin and back; the log has its compilation, its transfers and its run.
func TestPluginRunsAndLogs(t *testing.T) {
	backend := open(t, "")
	read := pjrtstub.Record(t)
	f := must.M1(engine.NewFunc(backend, "squares", squares))
	x := tensors.FromValue([]float32{1, 2, 3})
	out := must.M1(f.Call(x))
	got, sum := must.M1(engine.Float32s(out[0])), must.M1(engine.Float32s(out[1]))
	if got[2] != 9 || sum[0] != 6 {
		t.Errorf("squares %v, sum %v", got, sum)
	}
	log := read()
	if len(log.Programs) != 1 || log.Programs[0].Fault != "" || log.Programs[0].Operations < 3 || len(log.Runs) != 1 ||
		!strings.HasPrefix(log.Runs[0], "squares") ||
		log.Up != (pjrtstub.Traffic{Count: 1, Bytes: 12}) || log.Down != (pjrtstub.Traffic{Count: 2, Bytes: 16}) {
		t.Errorf("the log is %+v", log)
	}
	must.M1(f.Call(x))
	if log = read(); len(log.Programs) != 0 || len(log.Runs) != 1 {
		t.Errorf("then the log is %+v", log)
	}
}

// Free executions return zeros, or what a rule says.
func TestZeroCost(t *testing.T) {
	backend := open(t, "")
	pjrtstub.Zero(t, "squares 0=cycle2")
	f := must.M1(engine.NewFunc(backend, "squares", squares))
	out := must.M1(f.Call(tensors.FromValue([]float32{1, 2, 3})))
	got, sum := must.M1(engine.Float32s(out[0])), must.M1(engine.Float32s(out[1]))
	if got[0] != 0 || got[1] != 1 || got[2] != 0 || sum[0] != 0 {
		t.Errorf("squares %v, sum %v", got, sum)
	}
}

// There may be several devices; a program runs where its arguments lie, and an argument from elsewhere is refused.
func TestDevices(t *testing.T) {
	t.Setenv("PJRTSTUB_DEVICES", "2")
	backend := open(t, "")
	if backend.NumDevices() != 2 {
		t.Fatalf("%d devices", backend.NumDevices())
	}
	x := tensors.FromValue([]float32{4})
	there := must.M1(x.Buffer(backend, 1))
	if n := must.M1(there.DeviceNum()); n != 1 {
		t.Errorf("it lies on device %d", n)
	}
	here := must.M1(there.CopyToDevice(0))
	var back [1]float32
	must.M(here.ToFlatData(back[:]))
	if n := must.M1(here.DeviceNum()); n != 0 || back[0] != 4 {
		t.Errorf("the copy lies on device %d and is %v", n, back)
	}
}

// TF32 is a property of the backend's products: operands of 10 bits.
func TestTF32(t *testing.T) {
	product := func(in []*Node) []*Node { return []*Node{MatMul(in[0], in[0])} }
	for options, want := range map[string]float64{",tf32=false": 1 + 2.0/4096, ",tf32=true": 1} {
		f := must.M1(engine.NewFunc(open(t, options), "product", product))
		x := tensors.FromValue([][]float32{{1 + 1.0/4096}})
		got := must.M1(engine.Float32s(must.M1(f.Call(x))[0]))
		if !(math.Abs(float64(got[0])-want) <= 1e-6) {
			t.Errorf("%s: %v, want %v", options, got, want)
		}
	}
}

// With bf16=true a dense layer takes operands of 8 bits, sums in float32, and its gradient is float32 as well: of small
// integers all is exact, of a number with 9 bits the last one is lost.
func TestBF16(t *testing.T) {
	layer := func(in []*Node) []*Node {
		y := engine.Dense(in[0], in[1], nil)
		return append([]*Node{y}, Gradient(ReduceAllSum(Mul(y, y)), in[0], in[1])...)
	}
	for _, c := range []struct {
		first                   float32
		product, ofX, ofW       []float32
		productBF16, gradientW0 float32
	}{
		{3, []float32{13, 16}, []float32{90, 116}, []float32{78, 96, 130, 160}, 13, 78},
		{257, nil, nil, nil, 256 + 10, 2 * 266 * 256}, // 266·2 has 8 bits, 257 has 9
	} {
		f := must.M1(engine.NewFunc(open(t, ",bf16=true"), "layer", layer))
		out := must.M1(f.Call(
			tensors.FromValue([][]float32{{c.first, 5}}), tensors.FromValue([][]float32{{1, 2}, {2, 2}})))
		var got [3][]float32
		for i := range got {
			got[i] = must.M1(engine.Float32s(out[i]))
		}
		if c.product != nil && !(slices.Equal(got[0], c.product) && slices.Equal(got[1], c.ofX) &&
			slices.Equal(got[2], c.ofW)) {
			t.Errorf("layer and gradients %v, want %v, %v, %v", got, c.product, c.ofX, c.ofW)
		}
		if got[0][0] != c.productBF16 || got[2][0] != c.gradientW0 {
			t.Errorf("of %g: product %g, gradient %g; want %g and %g", c.first, got[0][0], got[2][0],
				c.productBF16, c.gradientW0)
		}
	}
}
