// Command train trains a network of tables, as the shipped model table was trained: on tables that are drawn anew for
// each step (package drawn).
//
//	cd research/tables
//	go run ./train -config ../../pretrained/configs/table-first.toml -out ../../runs/table-first
//	go run ./train -out ../../runs/mine data.tables.tails=0 train.steps=1000
//
// The same command continues a run that was interrupted. Other commands take the run as --model ../../runs/mine.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/fileio"
	_ "github.com/gfncp/gfncp/research/tables/drawn"
	"github.com/gfncp/gfncp/train"
)

func main() {
	if err := engine.Prepare(); err != nil {
		fmt.Fprintln(os.Stderr, "train: warning:", err)
	}
	path := flag.String("config", "", "a config file over the defaults")
	out := flag.String("out", "runs/table", "folder of the run")
	backend := flag.String("backend", "auto", "go, xla:cpu or xla:cuda")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c, err := config(*path, flag.Args())
	if err == nil {
		_, err = gfncp.Train(ctx, c, *out, &gfncp.TrainOptions{Backend: *backend, Listener: gfncp.Listener{
			Valid: func(v train.Validation) { fmt.Printf("%+v\n", v) },
		}})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

// config is the default one with the keys of a file, if there is one, and then of overrides.
func config(path string, overrides []string) (c train.Config, err error) {
	c = train.DefaultOn(train.GFNCP, data.SourceTables)
	if path != "" {
		text, err := fileio.ReadFile(path)
		if err != nil {
			return c, err
		}
		if c, err = train.ParseConfig(path, text, c); err != nil {
			return c, err
		}
	}
	return c.Set(overrides...)
}
