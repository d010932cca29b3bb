package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/benchmarks/parity"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/pjrtapi"
)

// parityReport is the comparison of a backend with stored values.
type parityReport struct {
	SchemaVersion int              `json:"schema_version"`
	Version       string           `json:"version"`
	Machine       string           `json:"machine"`
	Backend       string           `json:"backend"`
	Config        string           `json:"backend_config"`
	Description   string           `json:"backend_description"`
	TF32          bool             `json:"tf32"`
	BF16          bool             `json:"bf16,omitempty"`
	Pass          bool             `json:"pass"`
	Outcomes      []parity.Outcome `json:"outcomes"`
	Failure       string           `json:"failure,omitempty"` // a case that could not run; those after it did not
}

// doctorParity compares the backend with the stored values and fails when one differs.
func doctorParity(c *cli.Context) error {
	cases, err := parity.Find(c.String("case"))
	if err != nil {
		return err
	}
	choice, err := engine.Choose(c.String("backend"))
	if err != nil {
		return err
	}
	backend, err := choice.Open()
	if err != nil {
		return err
	}
	defer backend.Finalize()
	if !engine.OnGo(backend) {
		defer pjrtapi.Listen(func(made pjrtapi.Made) { writeCompilation(c.App.ErrWriter, made) })()
	}
	r := parityReport{
		SchemaVersion: 1, Version: version(), Machine: machine(), Backend: choice.Name, Config: choice.Config,
		Description: backend.Description(), TF32: choice.TF32(), BF16: choice.BF16(),
	}
	if !c.Bool("json") {
		writeParityHead(c.App.Writer, r)
	}
	failed := 0
	r.Outcomes, err = parity.Run(backend, r.precision(), cases, func(o parity.Outcome) {
		if !o.Pass {
			failed++
		}
		if !c.Bool("json") {
			writeOutcome(c.App.Writer, o)
		}
	})
	r.Pass = failed == 0 && err == nil
	switch {
	case err != nil:
		r.Failure = err.Error()
	case failed > 0:
		err = fmt.Errorf("%d of %d quantities on %s differ from the Go backend's", failed, len(r.Outcomes), r.Backend)
	}
	if c.Bool("json") {
		err = cmp.Or(printJSON(c.App.Writer, r), err)
	}
	return err
}

// precision is how the backend multiplies.
func (r parityReport) precision() parity.Precision {
	switch {
	case r.BF16:
		return parity.InBF16
	case r.TF32:
		return parity.InTF32
	default:
		return parity.InFloat32
	}
}

func writeParityHead(w io.Writer, r parityReport) {
	precision := "exact float32"
	switch r.precision() {
	case parity.InTF32:
		precision = "TF32"
	case parity.InBF16:
		precision = "bf16"
	}
	fmt.Fprintf(w, "%s (%s), %s, against the Go backend in float32\n", r.Backend, r.Config, precision)
	fmt.Fprintf(w, "%-66s %8s %8s %9s %6s %9s\n", "case, quantity", "absolute", "relative", "tolerance", "",
		"seconds (first, again)")
}

func writeOutcome(w io.Writer, o parity.Outcome) {
	verdict := "ok"
	switch {
	case !o.Compared:
		verdict = "-" // not comparable with rounded products
	case !o.Pass:
		verdict = "FAIL"
	}
	fmt.Fprintf(w, "%-66s %8.1e %8.1e %9.0e %6s %9.2f %.3f\n", o.Case+": "+o.Quantity, o.Absolute, o.Relative,
		o.Tolerance, verdict, o.First, o.Again)
}
