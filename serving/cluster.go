package serving

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"time"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/usererr"
)

// pointsName is what faults call the points.
const pointsName = "X"

// clusterOptions are the options of a request to cluster; those that are left out have their defaults.
type clusterOptions struct {
	Samples      int     `json:"samples"`
	Decode       string  `json:"decode"`
	Ball         float64 `json:"ball"`
	Seed         uint64  `json:"seed"`
	Scale        string  `json:"scale"`
	Alpha        string  `json:"alpha"`
	Subset       int     `json:"subset"`
	Time         float64 `json:"time"` // seconds
	CoClustering bool    `json:"co_clustering"`
	Standardize  bool    `json:"standardize"` // columns of tables, for a network
	// What is known of a table's clusters: root.Known.
	Least    int       `json:"least"`
	Most     int       `json:"most"`
	Together [][2]int  `json:"together"`
	Apart    [][2]int  `json:"apart"`
	Given    []int32   `json:"given"`
	Weights  []float64 `json:"weights"`
}

// decodeOptions reads the options of a request over their defaults.
func (r *request) decodeOptions(into any) error {
	if len(r.Options) == 0 {
		return nil
	}
	reader := json.NewDecoder(bytes.NewReader(r.Options))
	reader.DisallowUnknownFields()
	if err := reader.Decode(into); err != nil {
		return usererr.New("see docs/python.md", "options: %v", err)
	}
	return nil
}

// clusteringOptions are the library's.
func (r *request) clusteringOptions() (o root.Options, standardize bool, err error) {
	o = root.DefaultOptions()
	asked := clusterOptions{
		Samples: o.Samples, Decode: o.Decode, Ball: o.Ball, Seed: o.Seed, Scale: o.Scale,
		Standardize: true,
	}
	if err := r.decodeOptions(&asked); err != nil {
		return o, false, err
	}
	o.Samples, o.Decode, o.Ball, o.Seed, o.Subset = asked.Samples, asked.Decode, asked.Ball, asked.Seed, asked.Subset
	o.Scale, o.Alpha, o.CoClustering = asked.Scale, asked.Alpha, asked.CoClustering
	o.Known = root.Known{
		Least: asked.Least, Most: asked.Most, Together: asked.Together, Apart: asked.Apart, Given: asked.Given,
		Weights: asked.Weights,
	}
	o.Time = time.Duration(asked.Time * float64(time.Second))
	return o, asked.Standardize, o.Validate()
}

// clusterResult is the part of the answer that is no array.
type clusterResult struct {
	*root.Result
	Notes []string `json:"notes"`
	Fit   string   `json:"fit"` // the digest of "fitted"
}

// served is a clustering with what keeps it.
type served struct {
	in     *files.Input
	result *root.Result
	saved  *root.Saved
	text   []byte // of saved
}

// cluster clusters the points x, as gfncp cluster would a file of them.
func (s *server) cluster(ctx context.Context, r *request, a *answer) error {
	x, n, d, err := r.matrix()
	if err != nil {
		return err
	}
	if r.Columns != nil && len(r.Columns) != d {
		return usererr.New("name all of them", "%d names of %d columns", len(r.Columns), d)
	}
	o, standardize, err := r.clusteringOptions()
	if err != nil {
		return err
	}
	in := files.FromMatrix(pointsName, x, d, r.Columns)
	var c *served
	switch r.Model {
	case "", "auto", root.MixtureModel:
		c, err = clusterTable(ctx, in, o)
	default:
		c, err = s.clusterBy(ctx, r.Model, in, x, n, standardize, o)
	}
	if err != nil {
		return err
	}
	c.result.Warnings = slices.Concat(c.in.Warnings, c.result.Warnings)
	sum := sha256.Sum256(c.text)
	fit := hex.EncodeToString(sum[:])
	s.keep(fit, c.saved)
	a.Result = clusterResult{light(c.result), append([]string{}, c.in.Notes...), fit}
	return errors.Join(addClustering(a, c.result), a.add("fitted", "|u1", c.text, len(c.text)))
}

// clusterTable clusters a table without a network.
func clusterTable(ctx context.Context, in *files.Input, o root.Options) (*served, error) {
	result, err := root.ClusterTable(ctx, in.Table(), o)
	if err != nil {
		return nil, err
	}
	text, err := root.EncodeTable(result.Table)
	saved := &root.Saved{
		Model: root.MixtureModel, Table: result.Table, Columns: root.Columns{Names: result.Table.Names()},
	}
	return &served{in, result, saved, text}, err
}

// clusterBy clusters points by a model.
func (s *server) clusterBy(
	ctx context.Context, name string, in *files.Input, raw []float64, n int, standardize bool, o root.Options,
) (*served, error) {
	m, err := s.open(name)
	if err != nil {
		return nil, err
	}
	x, err := pointsFor(m, in, raw, standardize)
	if err != nil {
		return nil, err
	}
	if m.Config().Data.IsTables() && in.Encoding != nil && o.Scale == "auto" {
		o.Scale = "none" // the encoding has standardized what is to be
	}
	result, err := m.Cluster(ctx, x, n, o)
	if err != nil {
		return nil, err
	}
	fitted, err := result.Fit(x, len(x)/n, o)
	if err != nil {
		return nil, err
	}
	saved := &root.Saved{Model: name, Weights: m.Weights(), Fitted: fitted}
	if !m.Config().Data.IsImages() {
		saved.Columns = root.Columns{Names: in.Columns, Origin: in.Origin, Encoding: in.Encoding}
	}
	text, err := m.Encode(fitted, saved.Columns)
	return &served{in, result, saved, text}, err
}

// pointsFor makes of the numbers what a model takes: pixels as they are, tables encoded, as the model's own table if it
// was trained on one, other points raw.
func pointsFor(m *root.Model, in *files.Input, raw []float64, standardize bool) ([]float32, error) {
	known := m.Config().Data
	if known.IsImages() {
		return data.Float32s(raw), nil
	}
	if known.IsTables() {
		_, err := in.Encode(standardize)
		return in.X, err
	}
	encoding, err := known.TableEncoding()
	if err != nil {
		return nil, err
	}
	err = in.Points(encoding)
	return in.X, err
}

// light is a result without what goes into arrays.
func light(r *root.Result) *root.Result {
	l := *r
	l.Labels, l.Probabilities, l.Probability, l.Uncertainty, l.Samples, l.CoClustering = nil, nil, nil, nil, nil, nil
	l.View = nil
	if r.Ball != nil {
		ball := *r.Ball
		ball.Upper.Labels, ball.Lower.Labels, ball.Horizontal.Labels = nil, nil, nil
		l.Ball = &ball
	}
	if r.Subset != nil {
		subset := *r.Subset
		subset.Points = nil
		l.Subset = &subset
	}
	return &l
}

// addClustering puts the arrays of a result into the answer.
func addClustering(a *answer, r *root.Result) error {
	n := len(r.Labels)
	faults := []error{a.add("labels", "<i4", r.Labels, n)}
	if r.Probabilities != nil {
		faults = append(faults, a.add("probabilities", "<f8", slices.Concat(r.Probabilities...), n, r.K+1))
	}
	if r.Probability != nil {
		faults = append(faults, a.add("probability", "<f4", r.Probability, n))
	}
	if r.CoClustering != nil {
		faults = append(faults, a.add("co_clustering", "<f8", slices.Concat(r.CoClustering...), n, n))
	}
	if r.Uncertainty != nil {
		var values []float64
		for _, u := range r.Uncertainty {
			values = append(values, u.Elsewhere, u.Entropy, u.VI)
		}
		faults = append(faults, a.add("uncertainty", "<f8", values, n, 3))
	}
	if b := r.Ball; b != nil {
		bounds := slices.Concat(b.Upper.Labels, b.Lower.Labels, b.Horizontal.Labels)
		faults = append(faults, a.add("ball", "<i4", bounds, 3, len(bounds)/3))
	}
	if r.Subset != nil {
		points := make([]int32, len(r.Subset.Points))
		for i, p := range r.Subset.Points {
			points[i] = int32(p)
		}
		faults = append(faults, a.add("subset", "<i4", points, len(points)))
	}
	return errors.Join(append(faults, addSamples(a, r))...)
}

// addSamples puts the different partitions into the answer, with their log-probabilities and how often each was drawn.
func addSamples(a *answer, r *root.Result) error {
	if len(r.Samples) == 0 {
		return nil
	}
	var labels, counts []int32
	var logProbs []float64
	for _, s := range r.Samples {
		labels, counts = append(labels, s.Labels...), append(counts, int32(s.Count))
		logProbs = append(logProbs, s.LogProb)
	}
	s := len(r.Samples)
	return errors.Join(a.add("samples", "<i4", labels, s, len(labels)/s), a.add("counts", "<i4", counts, s),
		a.add("log_probs", "<f8", logProbs, s))
}
