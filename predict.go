package gfncp

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/beside"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Prediction says to which clusters further points belong.
type Prediction = clustering.Prediction

// Predict returns the probability that each further point belongs to each cluster, or to no cluster. A clustering of a
// table needs no model (clustering.TableFit). A clustering by a network needs that network. If it comes from Read or
// Cluster, Predict opens the network that Options.Model or the clustering names, and closes it. Every point is
// predicted as if it were the only new one.
//
// It uses Options.Samples, Seed, Model and Backend, for a network only. Errors, and the end of ctx, are as for Cluster.
func (c *Clustering) Predict(ctx context.Context, p *Points, o *Options) (*Prediction, error) {
	o = orDefault(o)
	if err := cmp.Or(p.given(), c.given()); err != nil {
		return nil, err
	}
	if c.Table != nil {
		return c.predictTable(ctx, p, o)
	}
	m := c.model
	if m == nil {
		var err error
		if m, err = c.open(o); err != nil {
			return nil, err
		}
		defer m.closeAfter(ctx)
	}
	in, err := c.coordinates(p)
	if err != nil {
		return nil, p.fault(err)
	}
	result, err := run(ctx, m, p, func() (*Prediction, error) {
		return clustering.Predict(ctx, m.net, m.trained.Config.Data, c.Network, in.X, in.Len(), in.D, *o)
	})
	if err != nil {
		return nil, err
	}
	result.Model, result.Warnings = m.Card().Name, joined(in.Warnings, result.Warnings)
	return result, nil
}

func (c *Clustering) predictTable(ctx context.Context, p *Points, o *Options) (*Prediction, error) {
	if o.Model != "" && o.Model != MixtureModel {
		return nil, usererr.New("name no model", "the clustering was made without a network, and needs none")
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	in := p.fork()
	if in.IsImages() {
		return nil, usererr.File(in.Path, 0, "give what was clustered",
			"holds images, but the clustering is of a table")
	}
	in.Empty(slices.Concat(c.axes.Missing, in.Missing))
	result, err := beside.Do(ctx, func() (*Prediction, error) { return c.Table.Predict(in.Table()) })
	if err != nil {
		return nil, p.fault(err)
	}
	var doubt []string
	if chains := c.Chains; chains != nil && chains.Doubtful() {
		doubt = []string{"the chains of the clustering " + chains.Verdict() + ": all probabilities are doubtful"}
	}
	result.Warnings = joined(doubt, p.in.Warnings, result.Warnings)
	return result, nil
}

// open opens the network that made the clustering.
func (c *Clustering) open(o *Options) (*Model, error) {
	m, err := Open(cmp.Or(o.Model, c.name), o)
	if fault := new(Error); errors.As(err, &fault) && fault.Path == c.name && o.Model == "" {
		named := *fault // the name in the saved clustering means nothing to the user
		named.Hint = "name the model that made the clustering"
		return nil, &named
	}
	if err != nil {
		return nil, err
	}
	if err := c.check(m); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// check refuses a network whose weights did not make the clustering.
func (c *Clustering) check(m *Model) error {
	if c.Table == nil && m.Weights() == c.weights {
		return nil
	}
	return usererr.New("open the model that made it, or cluster anew",
		"the clustering was made by other weights than those of model %s", m.name)
}

// ModelName returns the name under which the network was opened, or MixtureModel.
func (c *Clustering) ModelName() string { return c.name }

// Use makes Predict use an open model, or open one by its name if m is nil. It returns an *Error unless the model has
// the weights that made the clustering.
func (c *Clustering) Use(m *Model) error {
	if err := c.given(); err != nil {
		return err
	}
	if m != nil {
		if err := c.check(m); err != nil {
			return err
		}
	}
	c.model = m
	return nil
}

// coordinates returns further points, encoded as the clustered points were.
func (c *Clustering) coordinates(p *Points) (*files.Input, error) {
	in := p.fork()
	in.Empty(slices.Concat(c.axes.Missing, in.Missing))
	in.Origin = c.axes.Origin
	switch {
	case c.axes.Columns == nil: // images
		in.Origin = make([]float64, len(in.Columns)) // pixels stay unchanged
	case in.IsImages():
		return in, nil
	case c.axes.Encoding == nil && !in.Arrange(c.axes.Columns):
		return nil, missingColumns(in.Path, c.axes.Columns, in.Columns)
	case c.axes.Encoding == nil && len(in.Columns) != len(c.axes.Columns):
		return nil, usererr.New("give the columns of the clustering", "there are %s, but the clustering has %d",
			text.Count(len(in.Columns), "column"), len(c.axes.Columns))
	}
	return in, in.Points(c.axes.Encoding)
}

// ReadPoints reads a file of further points. It finds the columns of the clustering by name, or takes
// FileOptions.Columns in their place. A file without column names must have as many columns, and then the clustering
// has no names either.
func (c *Clustering) ReadPoints(path string, o *FileOptions) (*Points, error) {
	if err := c.given(); err != nil {
		return nil, err
	}
	options := fileOptions(o)
	named := len(options.Columns) > 0
	options.NoLabels, options.Single = true, true
	options.Like, options.Encoding = c.axes.Columns, c.axes.Encoding
	options.Missing = slices.Concat(c.axes.Missing, options.Missing)
	if c.Table != nil && !named {
		options.Encoding = c.Table.Encoding()
	}
	p, err := ReadPoints(path, &options)
	if err != nil {
		return nil, err
	}
	if images, were := p.in.IsImages(), c.axes.Columns == nil; images != were {
		kinds := map[bool]string{true: "images", false: "points"}
		return nil, usererr.File(path, 0, "give what was clustered", "holds %s, but the clustering is of %s",
			kinds[images], kinds[were])
	}
	names, have := c.axes.Columns, p.in.Columns
	switch {
	case options.Encoding != nil:
		return p, nil
	case named && len(have) != len(names):
		return nil, usererr.File(path, 0, "name as many columns, in the order "+text.List(names, 8),
			"%s in place of the %d of the clustering", text.Count(len(have), "column"), len(names))
	case !named && !slices.Equal(have, names):
		return nil, missingColumns(path, names, have)
	}
	if named {
		p.in.Rename(names) // the chosen columns take the names of the clustering's columns
	}
	return p, nil
}

// missingColumns returns the error for a file with other columns than the clustering.
func missingColumns(path string, want, have []string) error {
	hint := "name the columns that stand for " + text.List(want, 8) + ", in this order"
	missing := slices.DeleteFunc(slices.Clone(want), func(name string) bool { return slices.Contains(have, name) })
	if len(missing) == 0 {
		return usererr.File(path, 0, hint, "has columns %s in place of %s", text.List(have, 8), text.List(want, 8))
	}
	return usererr.File(path, 0, hint, "has no column %s, which the clustering has, but %s",
		text.List(missing, 8), text.List(have, 8))
}
