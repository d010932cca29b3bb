package pjrtstub_test

import (
	"math"
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
