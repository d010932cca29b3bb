package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
)

func clusterFlags() []cli.Flag {
	defaults := clustering.DefaultOptions()
	model := &cli.StringFlag{Name: "model", DefaultText: root.MixtureModel + "; for images " + imageDefault}
	return append(inputFlags(model),
		&cli.IntFlag{Name: "samples", Value: defaults.Samples},
		&cli.StringFlag{Name: "decode", Value: defaults.Decode},
		stringFlag("alpha"),
		stringFlag("k"), stringFlag("together"), stringFlag("apart"), stringFlag("given"), stringFlag("weights"),
		&cli.IntFlag{Name: "subset", DefaultText: "automatic"},
		&cli.DurationFlag{Name: "time", DefaultText: "none"},
		&cli.Float64Flag{Name: "ball", Value: defaults.Ball},
		&cli.StringFlag{Name: "invert", Value: "auto"},
		stringFlag("out"), stringFlag("co-clustering"), stringFlag("plot"), stringFlag("html"), stringFlag("save"),
		memoryFlag(),
	)
}

func cluster(c *cli.Context) error {
	wanted := outputs{
		table: c.String("out"), matrix: c.String("co-clustering"), plot: c.String("plot"), html: c.String("html"),
		saved: c.String("save"),
	}
	options := clustering.Options{
		Samples: c.Int("samples"), Decode: c.String("decode"), Ball: c.Float64("ball"), Seed: c.Uint64("seed"),
		Scale: c.String("scale"), CoClustering: wanted.matrix != "", Alpha: c.String("alpha"), Subset: c.Int("subset"),
		Time: c.Duration("time"),
	}
	if err := options.Validate(); err != nil {
		return withFlags(err)
	}
	if c.IsSet("ball") && options.Ball > 0 && options.Samples < clustering.MinBallSamples {
		return usererr.New("draw more with --samples, or leave --ball out", "--ball needs %d samples, but there are %d",
			clustering.MinBallSamples, options.Samples)
	}
	in, encoding, err := readInput(c)
	if err != nil {
		return err
	}
	if err := wanted.check(in); err != nil {
		return err
	}
	if options.Known, err = knownOf(c, in); err != nil {
		return err
	}
	found, err := clusterWith(c, in, encoding, options)
	if err != nil {
		return err
	}
	return found.show(c, wanted, options)
}

// show writes the files that are wanted, and prints what was found.
func (f *clustered) show(c *cli.Context, wanted outputs, options clustering.Options) error {
	in, result := f.in, f.result
	if wanted.saved != "" {
		if err := save(wanted.saved, f.model, in, result, options); err != nil {
			return err
		}
	}
	if err := wanted.write(in, result); err != nil {
		return err
	}
	out := clusterOutput{Result: result, Notes: in.Notes}
	if in.IsImages() {
		out.Names = in.Names
	}
	if in.Labels != nil {
		nmi, faultNMI := metrics.NMI(in.Labels, result.Labels)
		ari, faultARI := metrics.ARI(in.Labels, result.Labels)
		if err := errors.Join(faultNMI, faultARI); err != nil {
			return err
		}
		out.NMI, out.ARI = &nmi, &ari
	}
	if result.Table != nil {
		return show(c, out, "table", newTableView(in, out, wanted))
	}
	return show(c, out, "cluster", newClusterView(in, out))
}

// save keeps the clustering for `gfncp predict`; m is nil if it was found without a model.
func save(path string, m *root.Model, in *files.Input, r *clustering.Result, options clustering.Options) error {
	if r.Table != nil {
		return root.SaveTable(path, r.Table)
	}
	columns := root.Columns{Names: in.Columns, Origin: in.Origin, Encoding: in.Encoding}
	fitted, err := r.Fit(in.X, in.D, options)
	if err != nil {
		return err
	}
	return m.Save(path, fitted, columns)
}

// clusterOutput is the JSON of `gfncp cluster`.
type clusterOutput struct {
	*clustering.Result
	// Names [N] are the images' paths in their folder, or their indices in a file; only for images.
	Names []string `json:"names,omitempty"`
	// Notes are what was done to images, or to the columns of a table.
	Notes []string `json:"notes,omitempty"`
	// NMI and ARI compare the clusters with the known labels; only if there are some.
	NMI *float64 `json:"nmi,omitempty"`
	ARI *float64 `json:"ari,omitempty"`
}

// printWarnings prints warnings on stderr unless --quiet.
func printWarnings(c *cli.Context, warnings []string) {
	for _, w := range warnings {
		say(c, "gfncp: warning: %s", w)
	}
}

// inFile says what went wrong with the input: a fault names the file, and flags where the library names options.
func inFile(path string, err error) error {
	if errors.Is(err, context.Canceled) {
		return errNothingWritten
	}
	var fault *root.Error
	if errors.As(err, &fault) && fault.Path == "" {
		named := *fault
		named.Path = path
		return withFlags(&named)
	}
	return err
}

// errNothingWritten is what a person hears who interrupts a command before it writes.
var errNothingWritten = fmt.Errorf("%w; nothing was written", errInterrupted)

// flagNames leads from the options of package clustering, as its faults name them, to the flags that set them.
var flagNames = strings.NewReplacer(
	"Samples = ", "--samples is ", "Ball = ", "--ball is ", "Orders = ", "--orders is ",
	"Decode = ", "--decode ", "Scale = ", "--scale ", "Alpha = ", "--alpha ", "Time = ", "--time is ",
	"Subset = ", "--subset is ", "Subset", "--subset", "Alpha", "--alpha",
	"Samples", "--samples", "CoClustering", "--co-clustering", "Scale", "--scale", "Energies", "--energies",
	"Center has ", "--center has ",
	"open another model", "name another with --model", "choose as many", "choose as many with --columns",
)

// withFlags puts flags in the place of the library's options in one fault or several.
func withFlags(err error) error {
	switch e := err.(type) {
	case *root.Error:
		fault := *e
		fault.Msg, fault.Hint = flagNames.Replace(e.Msg), flagNames.Replace(e.Hint)
		return &fault
	case interface{ Unwrap() []error }:
		var all []error
		for _, one := range e.Unwrap() {
			all = append(all, withFlags(one))
		}
		return errors.Join(all...)
	}
	return err
}
