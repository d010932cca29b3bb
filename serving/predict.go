package serving

import (
	"context"
	"slices"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/internal/usererr"
)

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
	_, text := r.bytesOf("fitted")
	if text == nil {
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
	light.Labels, light.Probabilities, light.NewCluster = nil, nil, nil
	a.Result = light
	n := len(p.Labels)
	a.add("labels", "<i4", p.Labels, n)
	a.add("probabilities", "<f8", slices.Concat(p.Probabilities...), n, p.K+1)
	a.add("new_cluster", "<f8", p.NewCluster, n)
	return nil
}
