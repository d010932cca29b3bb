package gfncp

import (
	"context"
	"slices"
	"sync"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/beside"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// The settings and results of Model.Cluster and Model.Score, with their fields: go doc clustering.Options, and so on.
type (
	// Options are the settings of Cluster: how many samples, the point estimate, the seed, the scale.
	Options = clustering.Options
	// Known is what is known of a table's clusters beside its columns: Options.Known.
	Known = clustering.Known
	// Result is a clustering with its uncertainty.
	Result = clustering.Result
	// ScoreOptions are the settings of Score: how many data orders, the seed, the scale.
	ScoreOptions = clustering.ScoreOptions
	// ScoreResult is what a model makes of given labels.
	ScoreResult = clustering.ScoreResult
	// Fitted is a clustering with its points, as Predict and Save need it: see Result.Fit.
	Fitted = clustering.Fitted
	// Table is the columns of a table: numbers, times and categories, with missing cells.
	Table = tabular.Table
	// TableFit is a clustering by ClusterTable, its Result.Table, as SaveTable needs it. Predict needs no model.
	TableFit = clustering.TableFit
	// PredictOptions are the settings of Predict: how many samples, the seed.
	PredictOptions = clustering.PredictOptions
	// Prediction says where new points belong among the clusters of others.
	Prediction = clustering.Prediction
	// Card tells where a model's weights come from and what they reach.
	Card = train.Card
)

// None is the label of a new point that is in none of the clusters.
const None = clustering.None

// MixtureModel is the Result.Model of ClusterTable.
const MixtureModel = clustering.MixtureModel

// DefaultOptions returns 100 samples and their 95 % ball, seed 1 and automatic scale.
func DefaultOptions() Options { return clustering.DefaultOptions() }

// DefaultScoreOptions returns 100 orders, seed 1 and automatic scale.
func DefaultScoreOptions() ScoreOptions { return clustering.DefaultScoreOptions() }

// DefaultPredictOptions returns 100 samples and seed 1.
func DefaultPredictOptions() PredictOptions { return clustering.DefaultPredictOptions() }

// Model is a trained network on a backend, ready to cluster. Its methods may be called side by side, Close included.
type Model struct {
	name    string // that it was opened by
	trained *train.Model
	net     *models.Network
	weights func() string // their SHA-256
	free    func()        // closes the backend if it is the model's own; nil once closed
	inUse   sync.RWMutex
}

// Open loads a GFNCP or NCP model by the name of a registered one ("mog-ncp", see Names), run directory or model file,
// on the best backend that is installed or that On names. Faults of the name, the file or the backend are *Error.
func Open(name string, options ...Option) (*Model, error) {
	trained, err := Find(name)
	if err != nil {
		return nil, err
	}
	s, free, err := open(options)
	if err != nil {
		return nil, err
	}
	net, err := trained.Network(s.backend)
	if err != nil {
		free()
		return nil, err
	}
	sum := sync.OnceValue(trained.Params.SHA256)
	return &Model{name: name, trained: trained, net: net, weights: sum, free: free}, nil
}

// Dim is D, the number of coordinates of a point that the model reads: 784 for images of 28×28 pixels.
func (m *Model) Dim() int { return m.trained.Config.Net.Dim }

// Card tells where the model's weights come from and what they reach.
func (m *Model) Card() Card { return m.trained.Card }

// Weights is the SHA-256 of the model's weights, as hexadecimal digits.
func (m *Model) Weights() string { return m.weights() }

// Config is what the model was trained with; its Data section is the range of sets that it knows.
func (m *Model) Config() Config { return m.trained.Config }

// Cluster clusters n points x [n,D], row by row. Images are pixels in 0..1, bright on dark. The result holds a point
// estimate (Options.Decode) and what the samples say of it: each point's probabilities and uncertainty, P(K), expected
// losses and a credible ball. Faults of the points or the options are *Error, and name the option.
//
// When ctx ends, Cluster returns its error at once. One call of the backend, or one summary of the samples, may then
// run to its end beside the caller, and until then call Options.Warn and Options.Progress; Close waits for it.
func (m *Model) Cluster(ctx context.Context, x []float32, n int, o Options) (*Result, error) {
	result, err := onCopy(ctx, m, x, n, func(x []float32, d int) (*Result, error) {
		return clustering.Cluster(ctx, m.net, m.trained.Config.Data, x, n, d, o)
	})
	if err == nil {
		result.Model, result.Warnings = m.trained.Card.Name, m.warned(result.Warnings)
	}
	return result, err
}

// Score judges given labels [n] of points x [n,D]: their log-probability under random data orders, and how consistent
// the model is about them. Labels may be any numbers. Errors, and the end of ctx, are as for Cluster.
func (m *Model) Score(ctx context.Context, x []float32, labels []int32, o ScoreOptions) (*ScoreResult, error) {
	labels, n := slices.Clone(labels), len(labels)
	result, err := onCopy(ctx, m, x, n, func(x []float32, d int) (*ScoreResult, error) {
		return clustering.Score(ctx, m.net, m.trained.Config.Data, x, n, d, labels, o)
	})
	if err == nil {
		result.Model, result.Warnings = m.trained.Card.Name, m.warned(result.Warnings)
	}
	return result, err
}

// warned adds the warning about the model's file to those of a result.
func (m *Model) warned(warnings []string) []string {
	if m.trained.Warning == "" {
		return warnings
	}
	return append(warnings, m.trained.Warning)
}

// Predict says where n new points x [n,D] belong among the clusters of others, by the model that clustered them:
//
//	result, err := model.Cluster(ctx, points, n, options)
//	fitted, err := result.Fit(points, model.Dim(), options)
//	prediction, err := model.Predict(ctx, fitted, more, m, gfncp.DefaultPredictOptions())
//
// The probabilities, of each cluster and of none of them, are means over the samples; each point is predicted as if it
// were the only new one. Errors, and the end of ctx, are as for Cluster; f must not change before the work has ended.
func (m *Model) Predict(ctx context.Context, f *Fitted, x []float32, n int, o PredictOptions) (*Prediction, error) {
	result, err := onCopy(ctx, m, x, n, func(x []float32, d int) (*Prediction, error) {
		return clustering.Predict(ctx, m.net, m.trained.Config.Data, f, x, n, d, o)
	})
	if err == nil {
		result.Model = m.trained.Card.Name
		result.Warnings = m.warned(result.Warnings)
	}
	return result, err
}

// Close waits for the calls in progress and frees the backend. Cluster, Score, Predict, Stream and Stream.Next then
// return ErrClosed; Dim, Card, Config and Save need no backend and go on. A second Close does nothing.
func (m *Model) Close() {
	m.inUse.Lock()
	defer m.inUse.Unlock()
	if m.free != nil {
		m.free()
		m.free = nil
	}
}

// onCopy runs work on a copy of n points x, which have d values each, beside the caller, who waits no longer than ctx
// lasts; the model stays open until the work has ended.
func onCopy[T any](
	ctx context.Context, m *Model, x []float32, n int, work func(x []float32, d int) (T, error),
) (result T, err error) {
	d := m.Dim() // clustering refuses fewer than one point
	if n > 0 {
		d = len(x) / n
	}
	if n > 0 && d*n != len(x) {
		return result, usererr.New("give the points row by row, all with as many coordinates",
			"%d values are not those of %d points", len(x), n)
	}
	m.inUse.RLock()
	if m.free == nil {
		m.inUse.RUnlock()
		return result, ErrClosed
	}
	own := slices.Clone(x)
	return beside.Do(ctx, func() (T, error) {
		defer m.inUse.RUnlock()
		return work(own, d)
	})
}
