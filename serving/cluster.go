package serving

import (
	"context"
	json "encoding/json/v2"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// decodeOptions reads the options of a request over their defaults. Names have underscores: co_clustering.
func (r *request) decodeOptions(into any) error {
	if len(r.Options) == 0 {
		return nil
	}
	err := json.Unmarshal(r.Options, into, json.RejectUnknownMembers(true), json.MatchCaseInsensitiveNames(true))
	if err != nil {
		return usererr.New("see docs/json.md", "options: %v", err)
	}
	return nil
}

// mostSeconds is the longest time of a request, 30 years; a time.Duration holds nine times as much.
const mostSeconds = 1e9

// clusteringOptions returns the library's options for a request.
func (r *request) clusteringOptions() (*root.Options, error) {
	o := root.DefaultOptions()
	asked := struct {
		*root.Options
		Seconds float64 `json:"time"`
	}{Options: o}
	if err := r.decodeOptions(&asked); err != nil {
		return nil, err
	}
	o.Time = time.Duration(min(asked.Seconds, mostSeconds) * float64(time.Second))
	return o, o.Validate()
}

// clusterResult is the JSON part of an answer. Labels and samples are sent as arrays, so their fields here stay empty.
type clusterResult struct {
	*root.Result
	Labels  []int32    `json:"labels,omitempty"`
	Samples []struct{} `json:"samples,omitempty"`
	Notes   []string   `json:"notes"`
}

type reader func(path string, o *root.FileOptions) (*root.Points, error)

// points returns the points of a request: the array x, or the request's frame. The columns of x get the names of the
// request, or else these.
func (r *request) points(columns []string, read reader) (*root.Points, error) {
	_, array := r.Arrays["x"]
	switch {
	case r.Frame != "" && array:
		return nil, usererr.New("send one of them", "the request has a frame and an array x")
	case r.Frame == "-":
		return nil, usererr.New("name a file", "the frame is the standard input, which brings the requests")
	case r.Frame != "":
		points, err := read(r.Frame, &root.FileOptions{
			NoLabels: true, Frame: true, Columns: r.Columns, Header: "yes", Comma: ',', Categorical: r.Categorical,
		})
		return points, r.named(err)
	case r.Categorical != nil:
		return nil, usererr.Option("Categorical", "leave it out", "has no effect on an array")
	}
	x, n, d, err := r.matrix()
	switch {
	case err != nil:
		return nil, err
	case r.Columns != nil && len(r.Columns) != d:
		return nil, usererr.New("name all of them", "%d names of %d columns", len(r.Columns), d)
	case r.Columns != nil:
		columns = nil
		for _, name := range r.Columns {
			columns = append(columns, strings.TrimSpace(name)) // as in a file
		}
	case columns != nil && len(columns) != d:
		return nil, usererr.New("name the columns of x, or give the columns "+text.List(columns, 8),
			"x has %s, but the clustering has %d", text.Count(d, "column"), len(columns))
	}
	return root.NewPoints(x, n, columns...)
}

// cluster clusters the points x, as gfncp cluster would a file of them.
func (s *server) cluster(ctx context.Context, r *request, a *answer) error {
	o, err := r.clusteringOptions()
	if err != nil {
		return err
	}
	read, do := root.ReadPoints, root.Cluster
	name := r.Model
	if (name == "" || name == "auto") && len(r.Arrays["x"].Shape) > 2 {
		name = root.ImageModel // each point of x is an image
	}
	if name != "" && name != "auto" && name != root.MixtureModel {
		m, err := s.open(name)
		if err != nil {
			return err
		}
		read, do = m.ReadPoints, m.Cluster
	}
	points, err := r.points(nil, read)
	if err != nil {
		return err
	}
	c, err := do(ctx, points, o)
	if err != nil {
		return r.named(err)
	}
	text, err := c.Encode()
	if err != nil {
		return err
	}
	a.Result = clusterResult{Result: light(c.Result), Notes: allInPython(c.Notes)}
	addClustering(a, c.Result)
	a.add("fitted", "|u1", text, len(text))
	return nil
}

// named replaces the path in a fault of the points by X, whether they came as an array or as a file.
func (r *request) named(err error) error {
	fault, is := errors.AsType[*root.Error](err)
	if !is || fault.Path != r.Frame || fault.Option != "" && r.Frame == "" {
		return err
	}
	named := *fault
	named.Path = "X"
	if r.Frame != "" {
		if named.Line > 1 { // the header is line 1
			named.Msg = fmt.Sprintf("row %d, %s", named.Line-2, named.Msg)
		}
		named.Line = 0
	}
	return &named
}

// light returns a result without the fields that are sent as arrays.
func light(r *root.Result) *root.Result {
	l := r.Light()
	l.Warnings = allInPython(r.Warnings)
	if r.Subset != nil {
		subset := *r.Subset
		subset.Points = nil
		l.Subset = &subset
	}
	return l
}

func addClustering(a *answer, r *root.Result) {
	n := len(r.Labels)
	a.add("labels", "<i4", r.Labels, n)
	a.add("probabilities", "<f8", slices.Concat(r.Probabilities...), n, r.K+1)
	a.add("probability", "<f4", r.Probability, n)
	a.add("co_clustering", "<f8", slices.Concat(r.CoClustering...), n, n)
	a.add("uncertainty", "<f8", r.Uncertainty, n, 3) // the three numbers of a point in their order
	if r.Subset != nil {
		var points []int32
		for _, p := range r.Subset.Points {
			points = append(points, int32(p))
		}
		a.add("subset", "<i4", points, len(points))
	}
	var labels, counts []int32
	var logProbs []float64
	for _, s := range r.Samples { // the different partitions, and how often each was drawn
		labels, counts = append(labels, s.Labels...), append(counts, int32(s.Count))
		logProbs = append(logProbs, s.LogProb)
	}
	samples := len(r.Samples)
	a.add("samples", "<i4", labels, samples, len(labels)/max(samples, 1))
	a.add("counts", "<i4", counts, samples)
	a.add("log_probs", "<f8", logProbs, samples)
}

// predict answers where the points x belong among the clusters of a clustering. It finds the columns of the clustering
// by their names; without names x has these columns in their order.
func (s *server) predict(ctx context.Context, r *request, a *answer) error {
	o := root.DefaultOptions()
	asked := struct {
		Samples *int
		Seed    *uint64
	}{&o.Samples, &o.Seed}
	if err := r.decodeOptions(&asked); err != nil {
		return err
	}
	text := r.Arrays["fitted"].Data
	switch {
	case r.Model != "":
		return usererr.Option("Model", "leave it out", "has no effect: the clustering names its own")
	case text == nil:
		return usererr.New("send the array fitted that cluster has answered", "there is no clustering to predict by")
	}
	c, err := root.Decode("fitted", text)
	if err != nil {
		return err
	}
	points, err := r.points(c.Columns(), c.ReadPoints)
	if err != nil {
		return err
	}
	if name := c.ModelName(); name != root.MixtureModel {
		m, err := s.open(name)
		if err != nil {
			return err
		}
		if err := c.Use(m); err != nil {
			return err
		}
	}
	p, err := c.Predict(ctx, points, o)
	if err != nil {
		return r.named(err)
	}
	light := *p
	light.Warnings = allInPython(p.Warnings)
	light.Labels, light.Probabilities, light.NewCluster = nil, nil, nil
	a.Result = light
	n := len(p.Labels)
	a.add("labels", "<i4", p.Labels, n)
	a.add("probabilities", "<f8", slices.Concat(p.Probabilities...), n, p.K+1)
	a.add("new_cluster", "<f8", p.NewCluster, n)
	return nil
}
