package gfncp

import (
	"context"
	"fmt"
	"slices"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/beside"
	"github.com/gfncp/gfncp/internal/usererr"
)

const (
	// None is the label of a point that belongs to no cluster.
	None = clustering.None
	// MixtureModel is the model name of the mixture, which clusters tables without a network.
	MixtureModel = clustering.MixtureModel
	// ImageModel is the network that clusters images unless Options.Model names another.
	ImageModel = "mnist-gfncp-free"
)

// Result holds the labels of a clustering, their probabilities, P(K), samples and warnings; go doc clustering.Result
// lists its fields.
type Result = clustering.Result

// Clustering is a clustering of points, by the mixture or by a network. The Result of a clustering that Read returned
// has labels, but no other values for single points.
type Clustering struct {
	*Result
	// Notes tell how the images or the columns of a table were changed, one line each.
	Notes []string

	points  *Points      // the clustered points; nil after Read
	drawn   *files.Input // the points as the network read them; nil for the mixture
	model   *Model       // used by Predict; nil for the mixture, and if Predict must open it
	name    string       // name under which the model was opened, or MixtureModel
	weights string       // SHA-256 of the model's weights; empty for the mixture
	axes    files.Axes   // of the clustered points; Columns is nil for images
}

// Cluster clusters points as `gfncp cluster` does. A table needs no model: a mixture of t distributions with an unknown
// number of clusters answers (clustering.Table, package mixture). A network clusters images, and any points if
// Options.Model names it; it is open for this call (see Model.Cluster).
//
// When ctx ends, Cluster returns the error of ctx at once. A part of the work may then continue in the background.
func Cluster(ctx context.Context, p *Points, o *Options) (*Clustering, error) {
	o = orDefault(o)
	if err := p.given(); err != nil {
		return nil, err
	}
	switch name := o.Model; {
	case p.in.IsImages() && name == "":
		return clusterImages(ctx, p, o)
	case name != "" && name != MixtureModel:
		return clusterBy(ctx, p, name, o)
	}
	table := p.in.Table()
	result, err := beside.Do(ctx, func() (*Result, error) { return clustering.Table(ctx, table, *o) })
	if err != nil {
		return nil, p.fault(err)
	}
	result.Warnings = joined(result.Warnings, p.in.Warnings)
	c := &Clustering{Result: result, Notes: joined(p.in.Notes), points: p, name: MixtureModel}
	c.axes.Missing = p.in.Missing
	for _, column := range result.Columns {
		c.axes.Columns = append(c.axes.Columns, column.Name)
	}
	return c, nil
}

// clusterImages clusters images by ImageModel, and warns that it was trained on digits.
func clusterImages(ctx context.Context, p *Points, o *Options) (*Clustering, error) {
	advice := fmt.Sprintf("train one on your images with gfncp train --data %s, and name its run as the model",
		p.in.Path)
	warned := p.fork()
	warned.Warnings = append(warned.Warnings, fmt.Sprintf(
		"model %s was trained on handwritten digits; if your images are something else, %s", ImageModel, advice))
	return clusterBy(ctx, &Points{warned}, ImageModel, o)
}

// clusterBy opens the network name, clusters the points and closes the network.
func clusterBy(ctx context.Context, p *Points, name string, o *Options) (*Clustering, error) {
	m, err := Open(name, o)
	if err != nil {
		return nil, err
	}
	c, err := m.Cluster(ctx, p, o)
	if c != nil {
		c.model = nil
	}
	m.closeAfter(ctx)
	return c, err
}

// Cluster clusters points by the model. The result holds a point estimate, and summaries of the samples: each point's
// probabilities and uncertainty, P(K) and expected losses.
//
// When ctx ends, Cluster returns the error of ctx at once. One call of the backend, or one summary of the samples, may
// then continue in the background and call Options.Progress; Close waits for it.
func (m *Model) Cluster(ctx context.Context, p *Points, o *Options) (*Clustering, error) {
	o = orDefault(o)
	if err := p.given(); err != nil {
		return nil, err
	}
	if err := p.checkKind(m.trained); err != nil {
		return nil, err
	}
	known := m.trained.Config.Data
	in, err := p.coordinates(known)
	if err != nil {
		return nil, p.fault(err)
	}
	result, err := run(ctx, m, p, func() (*Result, error) {
		return clustering.Cluster(ctx, m.net, known, in.X, in.Len(), in.D, *o)
	})
	if err != nil {
		return nil, err
	}
	result.Model, result.Warnings = m.Card().Name, joined(result.Warnings, in.Warnings)
	c := &Clustering{
		Result: result, Notes: joined(in.Notes), points: p, drawn: in, model: m, name: m.name, weights: m.Weights(),
	}
	if !known.IsImages() {
		c.axes = in.Axes
	}
	return c, nil
}

// given returns an error for nil and for the zero value.
func (c *Clustering) given() error {
	if c == nil || c.Result == nil {
		return usererr.New("make one by Cluster or Read", "no clustering is given")
	}
	return nil
}

// Drawn returns the points with coordinates X [N,D] for a plot: for a network, the coordinates that it read. A table of
// two columns of numbers keeps its values; other tables are standardized and their gaps filled. After Read it fails.
func (c *Clustering) Drawn() (*files.Input, error) {
	if err := c.given(); err != nil {
		return nil, err
	}
	switch {
	case c.drawn != nil:
		return c.drawn, nil
	case c.points == nil:
		return nil, usererr.New("cluster them anew", "a clustering that was read has no points to draw")
	}
	in := c.points.fork()
	return in, in.ToDraw()
}

// Len is the number of points that were clustered.
func (c *Clustering) Len() int {
	if c.given() != nil {
		return 0
	}
	return len(c.Labels)
}

// Columns returns the names of the columns that were clustered, nil for images. Predict looks for these names in
// further points.
func (c *Clustering) Columns() []string { return slices.Clone(c.axes.Columns) }

// joined are several lists of lines as one, which is never nil, so that JSON shows a list.
func joined(lists ...[]string) []string { return append([]string{}, slices.Concat(lists...)...) }
