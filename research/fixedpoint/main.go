// Command fixedpoint computes the point to which training converges without a network: the energy of every state is a
// free number and the law of the data is known. docs/objective.md discusses its table.
//
//	cd research/fixedpoint
//	go run . -out ../../results/small     # two minutes
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	out := flag.String("out", "results", "folder of the table and its figure")
	sets := flag.Int("sets", len(lineData), "number of data sets, from the first")
	starts := flag.Int("starts", 4, "number of starts, the law itself among them")
	flag.Parse()
	if *sets < 1 || *sets > len(lineData) || *starts < 2 || flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "fixedpoint: -sets takes 1 to %d, -starts at least 2\n", len(lineData))
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out, *sets, *starts); err != nil {
		fmt.Fprintln(os.Stderr, "fixedpoint:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out string, sets, starts int) error {
	s, err := newStudy(ctx, sets, starts)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	if err := s.table.Write(out); err != nil {
		return err
	}
	return s.table.Text(os.Stdout)
}
