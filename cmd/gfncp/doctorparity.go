package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/benchmarks/parity"
)

// doctorParity compares the backend with the stored values, a line each, and fails when one differs.
func doctorParity(c *cli.Context) error {
	cases, err := parity.Find(c.String("case"))
	if err != nil {
		return err
	}
	choice, err := chooseBackend(c)
	if err != nil {
		return err
	}
	backend, err := choice.Open()
	if err != nil {
		return err
	}
	defer backend.Finalize()
	precision, said := parity.InFloat32, "exact float32"
	switch {
	case choice.BF16():
		precision, said = parity.InBF16, "bf16"
	case choice.TF32():
		precision, said = parity.InTF32, "TF32"
	}
	w := c.App.Writer
	fmt.Fprintf(w, "%s (%s), %s, against the Go backend in float32\n", choice.Name, choice.Config, said)
	fmt.Fprintf(w, "%-66s %8s %8s %9s %6s %9s\n", "case, quantity", "absolute", "relative", "tolerance", "",
		"seconds (first, again)")
	failed := 0
	outcomes, err := parity.Run(backend, precision, cases, func(o parity.Outcome) {
		if !o.Pass {
			failed++
		}
		writeOutcome(w, o)
	})
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of %d quantities on %s differ from the Go backend's", failed, len(outcomes), choice.Name)
	}
	return err
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
