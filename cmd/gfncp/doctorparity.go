package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/benchmarks/parity"
	"github.com/gfncp/gfncp/internal/engine"
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
	r := parityReport{
		SchemaVersion: 1, Version: version(), Machine: machine(), Backend: choice.Name, Config: choice.Config,
		Description: backend.Description(), TF32: choice.TF32(),
	}
	if !c.Bool("json") {
		printParityHead(c, r)
	}
	failed := 0
	outcomes, runErr := parity.Run(backend, r.TF32, cases, func(o parity.Outcome) {
		if !o.Pass {
			failed++
		}
		if !c.Bool("json") {
			printOutcome(c, o)
		}
	})
	r.Outcomes, r.Pass = outcomes, failed == 0 && runErr == nil
	if runErr != nil {
		r.Failure = runErr.Error()
	}
	if c.Bool("json") {
		if err := printJSON(c.App.Writer, r); err != nil {
			return err
		}
	}
	if runErr != nil {
		return runErr
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d quantities on %s differ from the Go backend's", failed, len(outcomes), r.Backend)
	}
	return nil
}

func printParityHead(c *cli.Context, r parityReport) {
	precision := "exact float32"
	if r.TF32 {
		precision = "TF32"
	}
	fmt.Fprintf(c.App.Writer, "%s (%s), %s, against the Go backend in float32\n", r.Backend, r.Config, precision)
	fmt.Fprintf(c.App.Writer, "%-66s %8s %8s %9s %6s %9s\n", "case, quantity", "absolute", "relative", "tolerance", "",
		"seconds (first, again)")
}

func printOutcome(c *cli.Context, o parity.Outcome) {
	verdict := "ok"
	switch {
	case !o.Compared:
		verdict = "-" // not comparable under TF32
	case !o.Pass:
		verdict = "FAIL"
	}
	fmt.Fprintf(c.App.Writer, "%-66s %8.1e %8.1e %9.0e %6s %9.2f %.3f\n", o.Case+": "+o.Quantity, o.Absolute, o.Relative,
		o.Tolerance, verdict, o.First, o.Again)
}
