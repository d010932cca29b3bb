// Command tables compares gfncp with mclust, Gaussian mixtures, HDBSCAN and k-means on labelled tables. docs/tables.md
// explains its columns and shows its tables. The rivals need R and Python.
//
//	cd research/tables
//	go run . -out ../../results/small tables-real tables-synthetic
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

func main() {
	var s sheet
	out := flag.String("out", "results", "folder of the tables and figures")
	runs := flag.String("runs", "runs", "folder of the sets and answers that are kept")
	flag.Usage = func() {
		fmt.Fprintf(os.Stderr, "usage: go run . [options] %s\n", strings.Join(ids(), "|"))
		flag.PrintDefaults()
	}
	flag.Parse()
	unknown := func(id string) bool { return !slices.Contains(ids(), id) }
	if flag.NArg() == 0 || slices.ContainsFunc(flag.Args(), unknown) {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s.ctx = ctx
	s.say = func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	s.dir = filepath.Join(*runs, "tables")
	err := os.MkdirAll(s.dir, 0o755)
	for _, b := range benchmarks {
		if err == nil && slices.Contains(flag.Args(), b.id) {
			err = s.write(b, *out)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

func ids() (all []string) {
	for _, b := range benchmarks {
		all = append(all, b.id)
	}
	return all
}

// write computes a benchmark, prints its table and writes it to a folder.
func (s *sheet) write(b benchmark, out string) error {
	if err := b.run(s); err != nil {
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
