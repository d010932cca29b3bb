package main

import (
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

func predictFlags() []cli.Flag {
	defaults := root.DefaultPredictOptions()
	return []cli.Flag{
		stringFlag("model"), backendFlag(), stringFlag("columns"), &cli.StringFlag{Name: "header", Value: "auto"},
		&cli.StringFlag{Name: "invert", Value: "auto"},
		&cli.IntFlag{Name: "samples", Value: defaults.Samples}, &cli.Uint64Flag{Name: "seed", Value: defaults.Seed},
		stringFlag("out"), boolFlag("json"), boolFlag("quiet"),
	}
}

func predict(c *cli.Context) error {
	options := root.PredictOptions{Samples: c.Int("samples"), Seed: c.Uint64("seed")}
	if options.Samples < 0 {
		return usererr.New("use 0 or more", "--samples is %d", options.Samples)
	}
	path, out := c.Args().First(), c.String("out")
	saved, err := root.ReadSaved(path)
	if err != nil {
		return err
	}
	in, err := openNew(c, saved)
	if err != nil {
		return err
	}
	if out != "" {
		if sameFile(out, path) || sameFile(out, in.Path) {
			return usererr.File(out, 0, "choose another output path", "--out would overwrite the input")
		}
		if err := atomicfile.CheckWritable(out); err != nil {
			return err
		}
	}
	prediction, err := predictInput(c, saved, in, options)
	if err != nil {
		return err
	}
	if out != "" {
		if err := writeCSV(out, predictRows(in, prediction)); err != nil {
			return err
		}
	}
	result := predictOutput{Prediction: prediction, Notes: in.Notes}
	if in.IsImages() {
		result.Names = in.Names
	}
	return show(c, result, "predict", newPredictView(path, saved, in, prediction))
}

// predictOutput is the JSON of `gfncp predict`.
type predictOutput struct {
	*root.Prediction
	Names []string `json:"names,omitempty"` // of images
	Notes []string `json:"notes,omitempty"`
}

// predictInput predicts the points of the input.
func predictInput(
	c *cli.Context, saved *root.Saved, in *files.Input, options root.PredictOptions,
) (*root.Prediction, error) {
	if !c.Bool("quiet") {
		count := counter(c, false)
		options.Progress = func(done, total int) { count(noun(in)+"s predicted:", done, total) }
	}
	prediction, err := predictBy(c, saved, in, options)
	if options.Progress != nil {
		options.Progress(1, 1) // the line goes, also after an error
	}
	if err != nil {
		return nil, err
	}
	prediction.Warnings = append(append([]string{}, in.Warnings...), prediction.Warnings...) // never null in JSON
	if !c.Bool("json") {
		printWarnings(c, prediction.Warnings)
	}
	return prediction, nil
}

// predictBy predicts by the clustering itself, or by the model that made it.
func predictBy(
	c *cli.Context, saved *root.Saved, in *files.Input, options root.PredictOptions,
) (prediction *root.Prediction, err error) {
	if saved.Table != nil {
		if name := c.String("model"); name != "" && name != root.MixtureModel {
			return nil, usererr.New("leave --model out", "the clustering was made without a network, and needs none")
		}
		if prediction, err = saved.Table.Predict(in.Table()); err != nil {
			return nil, inFile(in.Path, err)
		}
		return prediction, nil
	}
	model, err := saved.Open(c.String("model"), root.On(c.String("backend")))
	if fault := new(root.Error); errors.As(err, &fault) && fault.Path == saved.Model && c.String("model") == "" {
		named := *fault // the clustering's own words mean nothing to the user
		named.Hint = "name the model that made the clustering with --model"
		return nil, &named
	}
	if err != nil {
		return nil, err
	}
	if prediction, err = model.Predict(c.Context, saved.Fitted, in.X, in.Len(), options); err != nil {
		return nil, inFile(in.Path, err)
	}
	return prediction, nil
}

// openNew reads the file of new points: the columns of the clustering, by their names, or those of --columns. A file
// whose columns have no names must have as many, if those of the clustering had none either.
func openNew(c *cli.Context, saved *root.Saved) (*files.Input, error) {
	path := c.Args().Get(1)
	options := tableOptions(c)
	options.Invert, options.NoLabels, options.Single = c.String("invert"), true, true
	names := saved.Columns.Names
	options.Like, options.Origin, options.Encoding = names, saved.Columns.Origin, saved.Columns.Encoding
	if saved.Table != nil {
		options.Encoding = saved.Table.Encoding()
	}
	in, err := interruptible(c, func() (*files.Input, error) { return files.Read(path, options) })
	if err == nil && saved.Table == nil {
		err = in.Points(options.Encoding)
	}
	switch {
	case err != nil:
		return nil, err
	case saved.Table != nil && in.IsImages():
		return nil, usererr.File(path, 0, "give what was clustered", "holds images, but the clustering is of a table")
	case options.Encoding != nil || saved.Table != nil:
		return in, nil
	case in.IsImages() != (names == nil):
		return nil, usererr.File(path, 0, "give what was clustered", "holds %ss, but the clustering is of %s", noun(in),
			map[bool]string{true: "points", false: "images"}[in.IsImages()])
	case c.IsSet("columns") && !in.IsImages() && in.D != len(names):
		return nil, usererr.File(path, 0, "name as many with --columns, in the order "+text.List(names, 8),
			"%s in place of the %d of the clustering", text.Count(in.D, "column"), len(names))
	case !c.IsSet("columns") && !slices.Equal(in.Columns, names):
		return nil, missingColumns(path, names, in.Columns)
	}
	return in, nil
}

// missingColumns is the fault of a file that has not the columns of the clustering, or has others beside them.
func missingColumns(path string, want, have []string) error {
	hint := fmt.Sprintf("name the columns that stand for %s with --columns, in this order", text.List(want, 8))
	missing := slices.DeleteFunc(slices.Clone(want), func(name string) bool { return slices.Contains(have, name) })
	if len(missing) == 0 {
		return usererr.File(path, 0, hint, "has columns %s in place of %s", text.List(have, 8), text.List(want, 8))
	}
	return usererr.File(path, 0, hint, "has no column %s, which the clustering has, but %s",
		text.List(missing, 8), text.List(have, 8))
}

// predictRows gives a head, then a record a point: as clusterRows, and the probability of a new cluster, which is part
// of that of another one. The cluster is -1 where the point is in none.
func predictRows(in *files.Input, p *root.Prediction) iter.Seq[[]string] {
	head := append(pointHead(in), "cluster", "probability")
	for k := range p.K {
		head = append(head, "p_"+strconv.Itoa(k))
	}
	head = append(head, "p_other", "p_new")
	return func(yield func([]string) bool) {
		if !yield(head) {
			return
		}
		for i, label := range p.Labels {
			own := p.Probabilities[i][columnOf(label, p.K)]
			record := append(pointCells(in, i), strconv.Itoa(int(label)), decimal(own))
			record = append(append(record, each(p.Probabilities[i], decimal)...), decimal(p.NewCluster[i]))
			if !yield(record) {
				return
			}
		}
	}
}

// predictView is what a person wants to know of a prediction.
type predictView struct {
	*root.Prediction
	Path, Base string
	Count      int // points
	Noun       string
	Known      int // points of the clustering
	Rows       []predictRow
	Tally      string
}

// predictRow is a line of the table.
type predictRow struct {
	Where, Cluster   string
	Probability, New float64
}

func newPredictView(path string, saved *root.Saved, in *files.Input, p *root.Prediction) predictView {
	v := predictView{
		Prediction: p, Path: in.Path, Base: filepath.Base(path), Count: in.Len(), Noun: noun(in),
		Known: saved.Len(),
	}
	sizes := make([]int, p.K+1)
	for i, label := range p.Labels {
		name := "none"
		if label != root.None {
			name = strconv.Itoa(int(label))
			sizes[label]++
		} else {
			sizes[p.K]++
		}
		own := p.Probabilities[i][columnOf(label, p.K)]
		v.Rows = append(v.Rows, predictRow{whereIs(in, i), name, own, p.NewCluster[i]})
	}
	var tally []string
	for k, n := range sizes {
		name := "cluster " + strconv.Itoa(k)
		if k == p.K {
			name = "none"
		}
		if n > 0 {
			tally = append(tally, fmt.Sprintf("%d in %s", n, name))
		}
	}
	v.Tally = strings.Join(tally, ", ")
	return v
}
