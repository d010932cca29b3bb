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
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out); err != nil {
		fmt.Fprintln(os.Stderr, "fixedpoint:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out string) error {
	const starts = 4 // the law itself among them
	s, err := newStudy(ctx, len(lineData), starts)
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
