package main

import (
	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/serving"
)

func serve(c *cli.Context) error {
	if !c.Bool("stdio") {
		return usererr.New("say gfncp serve --stdio", "there is one way to serve: over standard input and output")
	}
	err := serving.Serve(c.Context, c.App.Reader, c.App.Writer, serving.Options{
		Version: version(), Backend: c.String("backend"),
	})
	if c.Context.Err() != nil {
		return errInterrupted
	}
	return err
}
