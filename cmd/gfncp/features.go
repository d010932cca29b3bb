package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models/vision"
)

func dinoFlags() []cli.Flag {
	return []cli.Flag{
		stringFlag("images"), stringFlag("out"), stringFlag("classes"), stringFlag("weights"), stringFlag("sha256"),
		&cli.IntFlag{Name: "batch", Value: 32}, &cli.IntFlag{Name: "limit"},
		boolFlag("raw"), boolFlag("skip-broken"), dataDirFlag(), backendFlag(), boolFlag("quiet"),
	}
}

func dino(c *cli.Context) error {
	out := c.String("out")
	if err := checkDino(c, out); err != nil {
		return err
	}
	classes, err := vision.ListClasses(c.String("images"), c.String("classes"), c.Int("limit"))
	if err != nil {
		return err
	}
	weights, err := dinoWeights(c)
	if err != nil {
		return err
	}
	backend, where, err := openBackend(c)
	if err != nil {
		return err
	}
	defer backend.Finalize()
	network, err := vision.NewNetwork(backend, weights.Config, weights.Params)
	if err != nil {
		return err
	}
	e := &vision.Extraction{
		Network: network, Weights: weights.SHA256, Folder: c.String("images"), Classes: classes, Batch: c.Int("batch"),
		Parts: out + ".parts", SkipBroken: c.Bool("skip-broken"), Raw: c.Bool("raw"),
	}
	if !c.Bool("quiet") {
		report := counter(c, true)
		e.Progress = func(done, total int) { report("images", done, total) }
	}
	say(c, "%s on %s, weights %s…: %d images of %d classes",
		weights.Config, where, weights.SHA256[:12], e.Images(), len(classes))
	return extract(c, e, out)
}

// checkDino checks what can be checked before any work.
func checkDino(c *cli.Context, out string) error {
	const help = "see gfncp features dino --help"
	switch {
	case c.String("images") == "" || out == "":
		return usererr.New(help, "--images DIR and --out FILE are needed")
	case c.IsSet("weights") && c.IsSet("sha256"):
		return usererr.New("leave one of them out",
			"--sha256 is the checksum of the published weights, but --weights names other ones")
	case !slices.Contains([]string{".npz", ".safetensors"}, strings.ToLower(filepath.Ext(out))):
		return usererr.File(out, 0, "end the name in .npz or .safetensors", "is no file of features")
	}
	if exists(out) {
		return usererr.File(out, 0, "remove it or choose another --out", "exists already")
	}
	return atomicfile.CheckWritable(out)
}

// dinoWeights reads the weights that --weights names, or the published ones.
func dinoWeights(c *cli.Context) (*vision.Weights, error) {
	path := c.String("weights")
	if path == "" {
		var err error
		if path, err = vision.Published(
			c.Context, c.String("sha256"), sources.FetchOptions{Say: saying(c)},
		); err != nil {
			return nil, err
		}
	}
	return vision.ReadWeights(path)
}

// extract computes the features, writes them to out and removes the parts.
func extract(c *cli.Context, e *vision.Extraction, out string) error {
	pool, summary, err := e.Run(c.Context)
	if errors.Is(err, context.Canceled) {
		say(c, "interrupted; the same command goes on, with the classes that are in %s", e.Parts)
	}
	if err != nil {
		return err
	}
	if err := files.WriteFeatures(out, pool); err != nil {
		return err
	}
	if err := e.Clean(); err != nil {
		return err
	}
	if summary.Reused > 0 {
		say(c, "%d of %d classes were there from an earlier run", summary.Reused, len(e.Classes))
	}
	for _, path := range summary.Skipped {
		say(c, "left out, because it cannot be decoded: %s", path)
	}
	line := fmt.Sprintf("wrote %s: %d features of %d values, %d classes", out, pool.Len(), pool.D, len(pool.Classes))
	if n := len(summary.Skipped); n > 0 {
		line += fmt.Sprintf("; %d broken images left out", n)
	}
	_, err = fmt.Fprintln(c.App.Writer, line)
	return err
}

// featuresCheck is for whoever has another implementation at hand: see benchmarks/gpu/vit_timm.py.
func featuresCheck(c *cli.Context) error {
	tolerance := c.Float64("tolerance")
	if c.String("dir") == "" || !(tolerance > 0) {
		return usererr.New("see gfncp features check --help", "--dir DIR and a --tolerance above 0 are needed")
	}
	backend, where, err := openBackend(c)
	if err != nil {
		return err
	}
	defer backend.Finalize()
	r, err := vision.Compare(backend, c.String("dir"))
	if err != nil {
		return err
	}
	if r.Largest > tolerance {
		return fmt.Errorf(
			"%s on %s: a feature differs by %.2g from that of %s, more than %g (%d images, values up to %.2g)",
			r.Config, where, r.Largest, r.Source, tolerance, r.Images, r.Size)
	}
	_, err = fmt.Fprintf(
		c.App.Writer, "%s on %s, %d images, against %s: largest difference %.2g, values up to %.2g, ok\n",
		r.Config, where, r.Images, r.Source, r.Largest, r.Size)
	return err
}
