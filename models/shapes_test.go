package models_test

import (
	"math/rand/v2"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

// Coordinates that a set lacks are zeros, and no part of the Gaussians: the table equals the literal form, which leaves
// them out.
func TestShapesLeaveOutCoordinates(t *testing.T) {
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	c := smallConfigs()["shapes and alpha, more coordinates than are seen together"]
	rng := rand.New(rand.NewPCG(3, 4))
	ps := c.Init(rng)
	for i := range ps { // what starts at nothing has to do something here
		for j := range ps[i].Data {
			ps[i].Data[j] += float32(0.05 * rng.NormFloat64())
		}
	}
	net, literal := must.M1(models.NewNetwork(backend, c, ps)), must.M1(models.NewLiteral(c, ps))
	const n = 15
	for _, has := range []int{1, 4, 9} {
		x, labels := randomSets(rng, 1, n, c.Dim)
		for i := range x {
			if i%c.Dim >= has {
				x[i] = 0
			}
		}
		want := literal.Table(x, labels)
		want[0] = nil
		assertTablesClose(t, must.M1(net.Tables(x, labels, 1, n))[0], want, 1e-3)
	}
}
