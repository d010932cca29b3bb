// Package parity compares a backend's numbers with stored ones of the Go backend: encoders, energy table, candidate
// scores, decoding, training steps and the augmentation graph, each a case whose weights and inputs are formulas. It
// checks that a machine with an accelerator computes the same numbers (`gfncp doctor --parity`).
//
// `GFNCP_UPDATE=1 go test ./benchmarks/parity` writes the stored values, values.json, on the Go backend with
// GOEXPERIMENT=simd and AVX-512. Only a change of the network, of an objective or of the data streams changes them.
package parity

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Quantity is one group of numbers that a case yields. Its error is relative to the largest magnitude of the stored
// values.
type Quantity struct {
	Name   string    `json:"name"`
	Values []float32 `json:"values"`
	kind   kind
}

type kind int

const (
	rounded   kind = iota // made by matrix products and sums
	pointwise             // only element-wise arithmetic: TF32 does not change it
	exact                 // labels whose decisions are certain: equal
	// follows from decisions (labels, a gradient's signs) that are clear in float32 but not under TF32
	decided
	// values after Adam's first step, which moves each weight by the sign of its gradient: rounding may flip the sign
	// of a gradient near zero
	turned
)

// The tolerances, relative to the largest magnitude of the quantity.
//
// Exact float32 has a unit roundoff of 6e-8. The errors of 25 successive matrix products of up to 512 terms add up like
// √(25·512)·6e-8 ≈ 7e-6 if they are random; Exact allows ten times that. One matrix that is 1 % off is more (tests).
//
// TF32 keeps 10 bits of the operands' mantissas: a unit roundoff of 4.9e-4, so √25·4.9e-4 ≈ 2.5e-3. Weights rounded to
// 10 bits changed energies, log-probabilities and losses by 6e-4 to 2e-3, entropies by up to 6e-3 and gradient norms by
// up to 1.6e-2 (units switch at their kinks); TF32 allows three times the largest. That distinguishes a wrong network
// from a right one, but does not show whether a model keeps its NMI.
//
// BF16 keeps 7 bits, an eighth of TF32's; it allows four times as much, for its sums are float32.
//
// Turned is for what follows Adam's first step in exact float32. Relative changes of 4e-7 of every weight move the norm
// of "train ncp" by up to 7e-3; a first step that is not taken changes losses and norms by 0.47 to 0.92.
const (
	Exact  = 1e-4
	TF32   = 5e-2
	BF16   = 2e-1
	Turned = 5e-2
)

// Precision is how a backend multiplies matrices.
type Precision int

// The precisions: all of float32, and operands of 10 and of 7 bits of mantissa.
const (
	InFloat32 Precision = iota
	InTF32
	InBF16
)

// tolerance is the largest relative difference that counts as equal; +Inf where nothing is compared.
func (k kind) tolerance(p Precision) float64 {
	switch {
	case k == exact:
		return 0
	case k == turned && p == InFloat32:
		return Turned
	case p == InFloat32 || k == pointwise:
		return Exact
	case k == decided || k == turned:
		return math.Inf(1)
	case p == InBF16:
		return BF16
	default:
		return TF32
	}
}

// Outcome is the comparison of one quantity of one case.
type Outcome struct {
	Case      string  `json:"case"`
	Quantity  string  `json:"quantity"`
	Count     int     `json:"count"`    // numbers compared
	Absolute  float64 `json:"absolute"` // largest absolute difference
	Relative  float64 `json:"relative"` // the same over the stored values' largest magnitude
	Tolerance float64 `json:"tolerance"`
	Compared  bool    `json:"compared"` // false: not comparable with rounded products, so passed over
	Pass      bool    `json:"pass"`
	First     float64 `json:"first_seconds"` // the case's first run, with compilation
	Again     float64 `json:"again_seconds"` // its second
}

// Case is one computation.
type Case struct {
	Name string
	open opener
}

// opener prepares a case on a backend. The second call of run is timed without compilation.
type opener func(backend compute.Backend) (run func() ([]Quantity, error), err error)

// Cases lists all cases.
func Cases() []Case {
	return slices.Concat(networkCases(), decodingCases(), trainingCases(), []Case{{"augmentation", augmented}})
}

// Find returns the case of a name, or all for "". Another name is a *usererr.Error.
func Find(name string) ([]Case, error) {
	var names []string
	for _, c := range Cases() {
		if c.Name == name {
			return []Case{c}, nil
		}
		names = append(names, c.Name)
	}
	if name == "" {
		return Cases(), nil
	}
	return nil, usererr.Unknown(name, names, "parity has no case %q", name)
}

// Run runs cases on a backend and compares them with the stored values; p is how the backend multiplies.
// hear gets each outcome as soon as it is there. An error means that a case could not run; a difference is no error.
func Run(backend compute.Backend, p Precision, cases []Case, hear func(Outcome)) (outcomes []Outcome, err error) {
	stored, err := load()
	if err != nil {
		return nil, err
	}
	for _, c := range cases {
		some, err := c.compare(backend, p, stored[c.Name])
		if err != nil {
			return outcomes, fmt.Errorf("parity case %s: %w", c.Name, err)
		}
		for _, o := range some {
			hear(o)
		}
		outcomes = append(outcomes, some...)
	}
	return outcomes, nil
}

func (c Case) compare(backend compute.Backend, p Precision, stored []Quantity) ([]Outcome, error) {
	got, first, again, err := c.measure(backend)
	if err != nil {
		return nil, err
	}
	if len(got) != len(stored) {
		return nil, fmt.Errorf(
			"it yields %d quantities, but %d are stored; renew them with GFNCP_UPDATE=1 go test ./benchmarks/parity",
			len(got), len(stored))
	}
	outcomes := make([]Outcome, len(got))
	for i, q := range got {
		o := q.against(stored[i], p)
		o.Case, o.First, o.Again = c.Name, first.Seconds(), again.Seconds()
		outcomes[i] = o
	}
	return outcomes, nil
}

// measure runs a case twice and returns the first run's numbers.
func (c Case) measure(backend compute.Backend) (got []Quantity, first, again time.Duration, err error) {
	begin := time.Now()
	run, err := c.open(backend)
	if err != nil {
		return nil, 0, 0, err
	}
	if got, err = run(); err != nil {
		return nil, 0, 0, err
	}
	first, begin = time.Since(begin), time.Now()
	_, err = run()
	return got, first, time.Since(begin), err
}

// against compares a quantity with its stored values. A number that is not finite never passes.
func (q Quantity) against(stored Quantity, p Precision) Outcome {
	o := Outcome{Quantity: q.Name, Count: len(q.Values), Tolerance: q.kind.tolerance(p)}
	if len(q.Values) != len(stored.Values) || q.Name != stored.Name {
		o.Absolute, o.Relative, o.Compared = math.MaxFloat64, math.MaxFloat64, true
		return o
	}
	var scale float64
	for i, v := range q.Values {
		scale = max(scale, math.Abs(float64(stored.Values[i])))
		difference := math.Abs(float64(v) - float64(stored.Values[i]))
		if math.IsNaN(difference) {
			difference = math.MaxFloat64
		}
		o.Absolute = max(o.Absolute, difference)
	}
	o.Relative = o.Absolute
	if scale > 0 {
		o.Relative = min(o.Absolute/scale, math.MaxFloat64)
	}
	o.Compared = !math.IsInf(o.Tolerance, 1)
	if !o.Compared {
		o.Tolerance = 0 // JSON has no infinity
	}
	o.Pass = !o.Compared || o.Relative <= o.Tolerance
	return o
}

//go:embed values.json
var stored []byte

type values map[string][]Quantity

func load() (v values, err error) {
	if err := json.Unmarshal(stored, &v); err != nil {
		return nil, fmt.Errorf("read the stored parity values: %w", err)
	}
	return v, nil
}

func float32s[T int32 | float64](values []T) []float32 {
	out := make([]float32, len(values))
	for i, v := range values {
		out[i] = float32(v)
	}
	return out
}
