// Package gfncp clusters points with amortized models that return samples of the clustering together with their
// probabilities: GFNCP ("Consistent Amortized Clustering via Generative Flow Networks", AISTATS 2025) and NCP.
//
// This package is the short way in for Go programs:
//
//	model, err := gfncp.Open("mog-gfncp")
//	…
//	defer model.Close()
//	result, err := model.Cluster(points, n, clustering.DefaultOptions())
//
// The packages below it are the parts: data, models, losses, sampling, train, metrics, posterior, clustering,
// experiments, report. docs/architecture.md is the map.
package gfncp

import (
	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// Model is a trained network on a backend, ready to cluster. It is safe for concurrent use until Close.
type Model struct {
	trained *train.Model
	net     *models.Network
	backend compute.Backend
}

// Open loads a model by pretrained name ("mog-gfncp", "mog-ncp"), run directory or model file, on the best backend that
// is installed: see OpenOn.
func Open(name string) (*Model, error) { return OpenOn("auto", name) }

// OpenOn loads a model on a backend: "auto" (CUDA where a plugin and a card are found, else an installed XLA CPU plugin,
// else the Go backend), "go", "xla:cpu", "xla:cuda", or a configuration of GoMLX. Nothing is ever downloaded.
func OpenOn(backend, name string) (*Model, error) {
	trained, err := Find(name)
	if err != nil {
		return nil, err
	}
	choice, err := engine.Choose(backend)
	if err != nil {
		return nil, err
	}
	m := &Model{trained: trained}
	if m.backend, err = choice.Open(); err != nil {
		return nil, err
	}
	if m.net, err = trained.Network(m.backend); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// Dim is D, the number of coordinates of a point that the model reads: 784 for images of 28×28 pixels.
func (m *Model) Dim() int { return m.trained.Config.Net.Dim }

// Card tells where the model's weights come from and what they reach.
func (m *Model) Card() train.Card { return m.trained.Card }

// Cluster clusters n points x [n,D], row by row: see clustering.Cluster. Images are pixels in 0..1, bright on dark. The
// result holds a point estimate (clustering.Options.Decode) and what the samples say of it: each point's probabilities and
// uncertainty, P(K), expected losses and a credible ball.
func (m *Model) Cluster(x []float32, n int, o clustering.Options) (*clustering.Result, error) {
	result, err := clustering.Cluster(m.net, m.trained.Config.Data, x, n, m.Dim(), o)
	if err == nil {
		result.Model = m.trained.Card.Name
	}
	return result, err
}

// Score judges given labels [n] of points x [n,D]: their log-probability under random data orders, and how consistent
// the model is about them (clustering.Score).
func (m *Model) Score(x []float32, labels []int32, o clustering.ScoreOptions) (*clustering.ScoreResult, error) {
	result, err := clustering.Score(m.net, m.trained.Config.Data, x, len(labels), m.Dim(), labels, o)
	if err == nil {
		result.Model = m.trained.Card.Name
	}
	return result, err
}

// Network gives the network itself, for decoding by hand (package sampling).
func (m *Model) Network() *models.Network { return m.net }

// Close frees the backend.
func (m *Model) Close() { m.backend.Finalize() }
