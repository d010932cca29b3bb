package parity

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
	_ "github.com/gfncp/gfncp/pretrained"
)

var backend = must.M1(must.M1(engine.Choose("go")).Open())

func TestMain(m *testing.M) {
	if os.Getenv("GFNCP_UPDATE") == "1" {
		must.M(update(backend))
	}
	os.Exit(m.Run())
}

// update renews values.json on a backend: first the uniforms, which the ancestral case reads, then every case.
func update(backend compute.Backend) error {
	v := values{uniformsEntry: {{Name: "u", Values: midpoints(backend)}}}
	stored = must.M1(v.encode())
	for _, c := range Cases() {
		v[c.Name], _, _ = must.M3(c.measure(backend))
	}
	stored = must.M1(v.encode())
	return os.WriteFile("values.json", stored, 0o644)
}

func (v values) encode() ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	text = bytes.ReplaceAll(text, []byte(`{"name":`), []byte("\n"+`{"name":`))
	return append(text, '\n'), nil
}

// Every case agrees with the stored values on the Go backend of this machine, whose rounding may differ: other SIMD
// levels sum in another order.
func TestGoBackendAgrees(t *testing.T) {
	for _, o := range must.M1(Run(backend, InFloat32, Cases(), func(Outcome) {})) {
		t.Logf("%s, %s: %d values, relative %.1e", o.Case, o.Quantity, o.Count, o.Relative)
		if !o.Pass {
			t.Errorf("%s, %s: differs by %g relative, more than %g", o.Case, o.Quantity, o.Relative, o.Tolerance)
		}
	}
	if len(stored) > 300_000 {
		t.Errorf("values.json has %d bytes, more than 300,000", len(stored))
	}
}

// The stored values are numbers of some size: a case that yields zeros would agree with anything that fails quietly.
func TestStoredValuesSayMuch(t *testing.T) {
	for name, quantities := range must.M1(load()) {
		for _, q := range quantities {
			var most float64
			for _, v := range q.Values {
				most = max(most, math.Abs(float64(v)))
			}
			if most < 0.05 || most > 1e6 || math.IsNaN(most) {
				t.Errorf("%s, %s: largest magnitude %g", name, q.Name, most)
			}
		}
	}
}

// perturbed is a case on weights of which one layer is 1 % off.
func perturbed(t *testing.T, layer string, by float32) (relative float64) {
	t.Helper()
	ps := weights(vectors, 1)
	at := slices.IndexFunc(ps, func(p models.Param) bool { return p.Name == layer })
	for i := range ps[at].Data {
		ps[at].Data[i] *= by
	}
	right := must.M1(models.NewNetwork(backend, vectors, weights(vectors, 1)))
	wrong := must.M1(models.NewNetwork(backend, vectors, ps))
	const n = 24
	x, labels := points(13, n*2, 10), labelled(14, 1, n, 6)[0]
	collect := func(net *models.Network) (all []float32) {
		for _, row := range must.M1(net.Tables(x, labels, 1, n))[0] {
			all = append(all, float32s(row)...)
		}
		return all
	}
	o := Quantity{Name: "E", Values: collect(wrong)}.against(Quantity{Name: "E", Values: collect(right)}, InFloat32)
	if o.Pass != (o.Relative <= Exact) {
		t.Errorf("%s: relative %g, tolerance %g, but pass is %v", layer, o.Relative, o.Tolerance, o.Pass)
	}
	return o.Relative
}

// One matrix that is 1 % off fails under the exact tolerance, in every one of the four networks; 20 % fails under
// TF32's.
func TestPerturbedNetworkFails(t *testing.T) {
	for _, layer := range []string{"h.2.weight", "u.2.weight", "g.2.weight", "f.2.weight"} {
		if r := perturbed(t, layer, 1.01); r <= Exact {
			t.Errorf("%s 1 %% off: relative difference %g passes the tolerance %g", layer, r, Exact)
		}
		if r := perturbed(t, layer, 1.2); r <= TF32 {
			t.Errorf("%s 20 %% off: relative difference %g passes the tolerance %g", layer, r, TF32)
		}
	}
}

func TestAgainst(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	q := func(k kind, v ...float32) Quantity { return Quantity{"q", v, k} }
	for _, test := range []struct {
		got    Quantity
		want   []float32
		p      Precision
		pass   bool
		reason string
	}{
		{q(rounded, 1, 1000), []float32{1.05, 1000}, InFloat32, true, "0.05 of 1000 is 5e-5"},
		{q(rounded, 1, 1000), []float32{1.2, 1000}, InFloat32, false, "0.2 of 1000 is 2e-4"},
		{q(rounded, 1, 1000), []float32{41, 1000}, InTF32, true, "40 of 1000 is 4e-2"},
		{q(rounded, 1, 1000), []float32{61, 1000}, InTF32, false, "60 of 1000 is 6e-2"},
		{q(rounded, 1, 1000), []float32{61, 1000}, InBF16, true, "bf16 allows 2e-1"},
		{q(rounded, 1, 1000), []float32{251, 1000}, InBF16, false, "250 of 1000 is 2.5e-1"},
		{q(turned, 100), []float32{104}, InFloat32, true, "signs of the first step may turn"},
		{q(turned, 100), []float32{110}, InFloat32, false, "but not that many"},
		{q(pointwise, 1, 1000), []float32{1.2, 1000}, InTF32, false, "TF32 leaves element-wise arithmetic alone"},
		{q(exact, 0, 1), []float32{0, 1}, InTF32, true, "equal"},
		{q(exact, 0, 1), []float32{0, 0}, InTF32, false, "a label differs"},
		{q(decided, 1), []float32{2}, InFloat32, false, "decisions are compared in exact float32"},
		{q(decided, 1), []float32{2}, InTF32, true, "and passed over under TF32"},
		{q(rounded, 1), []float32{1, 1}, InFloat32, false, "a value is missing"},
		{q(rounded, nan), []float32{1}, InTF32, false, "not a number"},
		{q(rounded, inf), []float32{1}, InTF32, false, "infinite"},
		{q(rounded, 0), []float32{0}, InFloat32, true, "nothing but zeros"},
		{q(rounded, 1e-3), []float32{0}, InFloat32, false, "zeros were stored"},
	} {
		if o := test.got.against(Quantity{Name: "q", Values: test.want}, test.p); o.Pass != test.pass {
			t.Errorf("%v against %v, precision %v: pass %v, want %v: %s (relative %g)",
				test.got.Values, test.want, test.p,
				o.Pass, test.pass, test.reason, o.Relative)
		}
	}
}

// The shipped model's stored labels are the groups themselves: point i is of group i mod 6.
func TestShippedModelFindsTheGroups(t *testing.T) {
	for i, l := range must.M1(load())["decode shipped model"][0].Values {
		if int(l) != i%6 {
			t.Fatalf("point %d has label %g, want its group %d", i, l, i%6)
		}
	}
}
