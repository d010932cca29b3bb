package gfncp

import (
	"context"
	"slices"
	"sync"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/internal/beside"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// Card tells where a model's weights come from and what they reach.
type Card = train.Card

// Score is what a model makes of given labels.
type Score = clustering.ScoreResult

// Model is a trained network on a backend, ready to cluster. Its methods may be called side by side, Close included.
type Model struct {
	name    string // that it was opened by
	trained *train.Model
	net     *models.Network
	backend compute.Backend
	weights func() string // their SHA-256
	closed  bool
	inUse   sync.RWMutex
}

// Open loads a GFNCP or NCP model by the name of a registered one ("mog-ncp", see Models), run directory or model file,
// on Options.Backend. Faults of the name, the file or the backend are *Error.
func Open(name string, o *Options) (*Model, error) {
	trained, err := Find(name)
	if err != nil {
		return nil, err
	}
	backend, err := openBackend(orDefault(o).Backend)
	if err != nil {
		return nil, err
	}
	net, err := trained.Network(backend)
	if err != nil {
		backend.Finalize()
		return nil, err
	}
	sum := sync.OnceValue(trained.Params.SHA256)
	return &Model{name: name, trained: trained, net: net, backend: backend, weights: sum}, nil
}

func openBackend(name string) (compute.Backend, error) {
	choice, err := engine.Choose(name)
	if err != nil {
		return nil, err
	}
	return choice.Open()
}

// Dim is D, the number of coordinates of a point that the model reads: 784 for images of 28×28 pixels.
func (m *Model) Dim() int { return m.trained.Config.Net.Dim }

// Card tells where the model's weights come from and what they reach.
func (m *Model) Card() Card { return m.trained.Card }

// Weights is the SHA-256 of the model's weights, as hexadecimal digits.
func (m *Model) Weights() string { return m.weights() }

// Config is what the model was trained with; its Data section is the range of sets that it knows.
func (m *Model) Config() Config { return m.trained.Config }

// ReadPoints reads a file for the model: that of a table by the columns of the table that the model was trained on, if
// it was trained on one.
func (m *Model) ReadPoints(path string, o *FileOptions) (*Points, error) {
	options := fileOptions(o)
	var err error
	if options.Encoding, err = m.trained.Config.Data.TableEncoding(); err != nil {
		return nil, err
	}
	return ReadPoints(path, &options)
}

// Score judges labels [N] of points: their log-probability under random data orders, and how consistent the model is
// about them. Labels may be any numbers; nil stands for the points' own labels. Options are Orders, Energies, Seed and
// Scale. Errors, and the end of ctx, are as for Cluster.
func (m *Model) Score(ctx context.Context, p *Points, labels []int32, o *Options) (*Score, error) {
	o = orDefault(o)
	if err := p.given(); err != nil {
		return nil, err
	}
	if labels = slices.Clone(labels); labels == nil {
		labels = p.in.Labels
	}
	switch {
	case labels != nil && len(labels) != p.Len():
		return nil, usererr.New("give one for each point", "there are %s for %s", text.Count(len(labels), "label"),
			text.Count(p.Len(), "point"))
	case p.in.IsImages():
		return nil, usererr.File(p.in.Path, 0, "give a table or a file of vectors", "images cannot be scored")
	case labels == nil:
		return nil, usererr.File(p.in.Path, 0, "say which labels", "there are no labels to score")
	}
	in, err := p.coordinates(m.trained.Config.Data)
	if err != nil {
		return nil, p.fault(err)
	}
	result, err := run(ctx, m, p, func() (*Score, error) {
		return clustering.Score(ctx, m.net, m.trained.Config.Data, in.X, in.Len(), in.D, labels, *o)
	})
	if err != nil {
		return nil, err
	}
	result.Model, result.Warnings = m.Card().Name, joined(in.Warnings, result.Warnings)
	return result, nil
}

// Close waits for the calls in progress and frees the backend. What needs the backend then returns ErrClosed. A second
// Close does nothing.
func (m *Model) Close() {
	m.inUse.Lock()
	defer m.inUse.Unlock()
	if !m.closed {
		m.backend.Finalize()
		m.closed = true
	}
}

// closeAfter closes the model without a wait for work that the end of ctx has left behind.
func (m *Model) closeAfter(ctx context.Context) {
	if ctx.Err() != nil {
		go m.Close()
		return
	}
	m.Close()
}

// run runs work on points beside the caller, who waits no longer than ctx lasts; the model stays open until the work
// has ended.
func run[T any](ctx context.Context, m *Model, p *Points, work func() (T, error)) (result T, err error) {
	m.inUse.RLock()
	if m.closed {
		m.inUse.RUnlock()
		return result, ErrClosed
	}
	result, err = beside.Do(ctx, func() (T, error) {
		defer m.inUse.RUnlock()
		return work()
	})
	return result, p.fault(err)
}
