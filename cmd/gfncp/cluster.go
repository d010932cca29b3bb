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
	chosen := &cli.StringFlag{Name: "model", Value: defaultModel, DefaultText: "chosen by evidence"}
	return append(inputFlags(chosen),
		&cli.IntFlag{Name: "samples", Value: defaults.Samples},
		&cli.StringFlag{Name: "decode", Value: defaults.Decode},
		&cli.StringFlag{Name: "refine", Value: defaults.Refine},
		stringFlag("alpha"), boolFlag("keep-pieces"),
		&cli.IntFlag{Name: "subset", Value: defaults.Subset},
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
		Scale: c.String("scale"), Refine: c.String("refine"), CoClustering: wanted.matrix != "",
		Alpha: c.String("alpha"), Subset: c.Int("subset"), KeepPieces: c.Bool("keep-pieces"),
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
	found, err := clusterChosen(c, in, encoding, options)
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
	out := clusterOutput{Result: result, Notes: in.Notes, Choice: f.choice}
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
	return show(c, out, "cluster", newClusterView(in, out))
}

// clusterInput clusters the input with the model that --model names, and returns that too.
func clusterInput(
	c *cli.Context, in *files.Input, options clustering.Options, aloud bool,
) (*clustering.Result, *root.Model, error) {
	if err := chooseModel(c, in); err != nil {
		return nil, nil, err
	}
	model, err := openModel(c)
	if err != nil {
		return nil, nil, err
	}
	if err := checkKind(in, model); err != nil {
		return nil, nil, err
	}
	options.Scale = pointScale(c, in, options.Scale)
	said := 0 // of the model's warnings
	aloud = aloud && !c.Bool("json")
	if aloud {
		printWarnings(c, in.Warnings)
		options.Warn = func(warning string) {
			said++
			printWarnings(c, []string{warning})
		}
	}
	if !c.Bool("quiet") {
		count := counter(c, false)
		options.Progress = func(done, total int) { count(noun(in)+"s placed in the samples:", done, total) }
		options.Assigned = func(done, total int) { count(noun(in)+"s assigned to the clusters:", done, total) }
	}
	result, err := model.Cluster(c.Context, in.X, in.Len(), options)
	if options.Progress != nil {
		options.Progress(1, 1) // the line goes, also after an error
	}
	if err != nil {
		return nil, nil, inFile(in.Path, err)
	}
	if aloud {
		printWarnings(c, result.Warnings[said:])
	}
	result.Warnings = append(append([]string{}, in.Warnings...), result.Warnings...) // never null in JSON
	return result, model, nil
}

// save keeps the clustering for `gfncp predict`; m is nil if it was found without a model.
func save(path string, m *root.Model, in *files.Input, r *clustering.Result, options clustering.Options) error {
	columns := root.Columns{Names: in.Columns, Origin: in.Origin, Encoding: in.Encoding}
	if r.Exact != nil {
		return root.SaveExactly(path, r.Exact, columns)
	}
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
	// Choice is what was tried until a model explained the points; only where there was a choice.
	Choice []clustering.Choice `json:"choice,omitempty"`
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
	"Decode = ", "--decode ", "Scale = ", "--scale ", "Refine = ", "--refine ", "Alpha = ", "--alpha ",
	"use Subset = 0", "use --subset 0", "them: Subset = ", "them: --subset ", "Subset = ", "--subset is ",
	"leave Refine out", "leave --refine out",
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
