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

// Card describes a model: the origin of its weights, and its results.
type Card = train.Card

// Score tells how probable given labels are under a model, and how consistent the model is.
type Score = clustering.ScoreResult

// Model is a trained network on a backend, ready to cluster. Its methods are safe for concurrent use, Close included.
type Model struct {
	name    string // name under which it was opened
	trained *train.Model
	net     *models.Network
	backend compute.Backend
	closed  bool
	inUse   sync.RWMutex
}

// Open loads a GFNCP or NCP model on Options.Backend. name is a registered model ("mog-ncp", see Models), a run
// directory or a model file. Faults of the name, the file or the backend are *Error.
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
	return &Model{name: name, trained: trained, net: net, backend: backend}, nil
}

func openBackend(name string) (compute.Backend, error) {
	choice, err := engine.Choose(name)
	if err != nil {
		return nil, err
	}
	return choice.Open()
}

// Dim returns D, the number of coordinates of a point: 784 for images of 28×28 pixels.
func (m *Model) Dim() int { return m.trained.Config.Net.Dim }

// Card returns the origin of the model's weights, and its results.
func (m *Model) Card() Card { return m.trained.Card }

// Weights returns the SHA-256 of the model's weights, as hexadecimal digits.
func (m *Model) Weights() string { return m.trained.Params.SHA256() }

// Config returns the config of the model's training. Its Data section describes the training sets.
func (m *Model) Config() Config { return m.trained.Config }

// ReadPoints reads a file for the model. If the model was trained on a table, it finds the columns of that table by
// name.
func (m *Model) ReadPoints(path string, o *FileOptions) (*Points, error) {
	options := fileOptions(o)
	var err error
	if options.Encoding, err = m.trained.Config.Data.TableEncoding(); err != nil {
		return nil, err
	}
	return ReadPoints(path, &options)
}

// Score returns the log-probability of labels [N] in random data orders, and how consistent the model is about them.
// Labels may be any numbers; nil stands for the points' own labels. It uses Options.Orders, Energies, Seed and Scale.
// Errors, and the end of ctx, are as for Cluster.
func (m *Model) Score(ctx context.Context, p *Points, labels []int32, o *Options) (*Score, error) {
	o = orDefault(o)
	if err := p.given(); err != nil {
		return nil, err
	}
	if labels = slices.Clone(labels); labels == nil {
		labels = p.in.Labels
		if i := slices.Index(labels, -1); i >= 0 {
			return nil, p.in.Table().Fault(i, "fill it in or delete this row", "the label is missing")
		}
	}
	switch {
	case labels != nil && len(labels) != p.Len():
		return nil, usererr.New("give one for each point", "there are %s for %s", text.Count(len(labels), "label"),
			text.Count(p.Len(), "point"))
	case p.in.IsImages():
		return nil, usererr.File(p.in.Path, 0, "give a table or a file of vectors", "images cannot be scored")
	case labels == nil:
		return nil, usererr.File(p.in.Path, 0, "name the column that holds them (FileOptions.LabelColumn)",
			"there are no labels to score")
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

// Close waits for the calls in progress and frees the backend. Methods that need the backend then return ErrClosed. A
// second Close does nothing.
func (m *Model) Close() {
	m.inUse.Lock()
	defer m.inUse.Unlock()
	if !m.closed {
		m.backend.Finalize()
		m.closed = true
	}
}

// closeAfter closes the model. If ctx has ended, work may continue in the background; it then does not wait for it.
func (m *Model) closeAfter(ctx context.Context) {
	if ctx.Err() != nil {
		go m.Close()
		return
	}
	m.Close()
}

// run runs work until it or ctx ends. The model stays open until the work has ended. A fault gets the points' path.
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
