package serving

import (
	"context"
	"errors"
	"slices"

	root "github.com/gfncp/gfncp"
)

// mostFits is how many clusterings are kept to predict by.
const mostFits = 16

// keptFit is a clustering under its digest.
type keptFit struct {
	digest string
	*root.Clustering
}

// errUnknownFit asks a client to send the clustering along.
var errUnknownFit = errors.New("this process does not know the clustering: send it as the array fitted")

// keep keeps a clustering, and lets the one go that was used longest ago.
func (s *server) keep(digest string, c *root.Clustering) {
	s.fits = slices.DeleteFunc(s.fits, func(k keptFit) bool { return k.digest == digest })
	s.fits = append(s.fits, keptFit{digest, c})
	s.fits = s.fits[max(0, len(s.fits)-mostFits):]
}

// fitOf returns the clustering that a request predicts by: one that is kept, or the one in the request.
func (s *server) fitOf(r *request) (*root.Clustering, error) {
	if _, text := r.bytesOf("fitted"); text != nil {
		c, err := root.Decode("fitted", text)
		if err == nil && r.Fit != "" {
			s.keep(r.Fit, c)
		}
		return c, err
	}
	at := slices.IndexFunc(s.fits, func(k keptFit) bool { return k.digest == r.Fit })
	if at < 0 {
		return nil, errUnknownFit
	}
	c := s.fits[at].Clustering
	s.keep(r.Fit, c)
	return c, nil
}

// predict says where the points x belong among the clusters of others. Their columns are those of the clustering.
func (s *server) predict(ctx context.Context, r *request, a *answer) error {
	o := root.DefaultOptions()
	asked := struct {
		Samples int    `json:"samples"`
		Seed    uint64 `json:"seed"`
	}{o.Samples, o.Seed}
	if err := r.decodeOptions(&asked); err != nil {
		return err
	}
	o.Samples, o.Seed = asked.Samples, asked.Seed
	c, err := s.fitOf(r)
	if err != nil {
		return err
	}
	points, err := r.points(c.Columns())
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
		return named(err)
	}
	light := *p
	light.Labels, light.Probabilities, light.NewCluster = nil, nil, nil
	a.Result = light
	n := len(p.Labels)
	return errors.Join(a.add("labels", "<i4", p.Labels, n),
		a.add("probabilities", "<f8", slices.Concat(p.Probabilities...), n, p.K+1),
		a.add("new_cluster", "<f8", p.NewCluster, n))
}
