package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

func export(c *cli.Context) error {
	out := c.String("out")
	if out == "" {
		return usererr.New("name the file to write with --out", "gfncp export needs --out")
	}
	if !strings.HasSuffix(out, ".safetensors") {
		return usererr.File(out, 0, "end the name in .safetensors", "is not a safetensors file name")
	}
	m, err := root.Find(c.String("model"))
	if err != nil {
		return err
	}
	if exists(out) && !c.Bool("force") {
		return usererr.File(out, 0, "choose another name, or add --force", "exists already")
	}
	if err := checkOutput(c, "out", filesRead(c, nil)...); err != nil {
		return err
	}
	if c.Bool("half") {
		if err := m.Halve(); err != nil {
			return err
		}
	}
	if err := train.WriteModel(out, m); err != nil {
		return err
	}
	result := map[string]any{
		"schema_version": 1, "file": out, "model": m.Card.Name, "tensors": len(m.Params), "weights": m.Params.Size(),
		"half": m.Half,
	}
	return show(c, result, "export", result)
}
