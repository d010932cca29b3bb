package serving

import (
	"context"
	"errors"
	"slices"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/usererr"
)

// mostFits is how many clusterings are kept to predict by.
const mostFits = 16

// keptFit is a clustering under its digest.
type keptFit struct {
	digest string
	saved  *root.Saved
}

// errUnknownFit asks a client to send the clustering along.
var errUnknownFit = errors.New("this process does not know the clustering: send it as the array fitted")

// keep keeps a clustering, and lets the one go that was used longest ago.
func (s *server) keep(digest string, saved *root.Saved) {
	s.fits = slices.DeleteFunc(s.fits, func(k keptFit) bool { return k.digest == digest })
	s.fits = append(s.fits, keptFit{digest, saved})
	s.fits = s.fits[max(0, len(s.fits)-mostFits):]
}

// fitOf returns the clustering that a request predicts by: one that is kept, or the one in the request.
func (s *server) fitOf(r *request) (*root.Saved, error) {
	if _, text := r.bytesOf("fitted"); text != nil {
		saved, err := root.DecodeSaved("fitted", text)
		if err == nil && r.Fit != "" {
			s.keep(r.Fit, saved)
		}
		return saved, err
	}
	at := slices.IndexFunc(s.fits, func(k keptFit) bool { return k.digest == r.Fit })
	if at < 0 {
		return nil, errUnknownFit
	}
	saved := s.fits[at].saved
	s.keep(r.Fit, saved)
	return saved, nil
}

// predict says where the points x belong among the clusters of others.
func (s *server) predict(ctx context.Context, r *request, a *answer) error {
	o := root.DefaultPredictOptions()
	asked := struct {
		Samples int    `json:"samples"`
		Seed    uint64 `json:"seed"`
	}{o.Samples, o.Seed}
	if err := r.decodeOptions(&asked); err != nil {
		return err
	}
	o.Samples, o.Seed = asked.Samples, asked.Seed
	x, n, d, err := r.matrix()
	if err != nil {
		return err
	}
	saved, err := s.fitOf(r)
	if err != nil {
		return err
	}
	if names := saved.Columns.Names; names != nil && len(names) != d {
		return usererr.New("give the columns of the clustering", "X has %d columns, but the clustering %d", d,
			len(names))
	}
	p, warnings, err := s.predictBy(ctx, saved, x, n, d, o)
	if err != nil {
		return err
	}
	p.Warnings = slices.Concat(warnings, p.Warnings)
	light := *p
	light.Labels, light.Probabilities, light.NewCluster = nil, nil, nil
	a.Result = light
	return errors.Join(a.add("labels", "<i4", p.Labels, n),
		a.add("probabilities", "<f8", slices.Concat(p.Probabilities...), n, p.K+1),
		a.add("new_cluster", "<f8", p.NewCluster, n))
}

func (s *server) predictBy(
	ctx context.Context, saved *root.Saved, x []float64, n, d int, o root.PredictOptions,
) (p *root.Prediction, warnings []string, err error) {
	if saved.Columns.Names == nil { // pixels
		m, err := s.modelOf(saved)
		if err != nil {
			return nil, nil, err
		}
		p, err := m.Predict(ctx, saved.Fitted, data.Float32s(x), n, o)
		return p, nil, err
	}
	in := files.FromMatrix(pointsName, x, d, saved.Columns.Names)
	if saved.Table != nil {
		p, err = saved.Table.Predict(in.Table())
		return p, nil, err
	}
	in.Origin = saved.Columns.Origin
	if err := in.Points(saved.Columns.Encoding); err != nil {
		return nil, nil, err
	}
	m, err := s.modelOf(saved)
	if err != nil {
		return nil, nil, err
	}
	p, err = m.Predict(ctx, saved.Fitted, in.X, n, o)
	return p, in.Warnings, err
}

// modelOf is the model that made a clustering.
func (s *server) modelOf(saved *root.Saved) (*root.Model, error) {
	m, err := s.open(saved.Model)
	if err != nil {
		return nil, err
	}
	return m, saved.CheckModel(m)
}
