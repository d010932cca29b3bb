package train

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// The package of a new peer, models/peers/cut: a network that cuts a set in two by a plane w·x + b = 0. A real one has
// the shape of models/peers/st.

type cut struct{ dim int }

// cutPeer describes it; a line in train's list `kinds` (kinds.go) makes it known to every command.
var cutPeer = peers.Peer{
	Name: "cut", New: func(net models.Config, _ peers.Config) peers.Method { return cut{net.Dim} },
	Steps: 5000, LearningRate: 1e-2, FixedK: 2,
}

func (c cut) Layout() models.Params {
	return models.Params{{Name: "cut.weight", Shape: []int{c.dim, 1}}, {Name: "cut.bias", Shape: []int{1}}}
}

// Inputs are the points [B·N,D] and, for each, 1 where its cluster is not that of the set's first point [B·N,1].
func (c cut) Inputs(_ *rand.Rand, batch *data.Batch, _ models.Buckets) ([]*tensors.Tensor, error) {
	side := make([]float32, len(batch.Labels))
	for i, l := range batch.Labels {
		side[i] = float32(min(l, 1))
	}
	n := len(side)
	return []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(batch.X, n, c.dim), tensors.FromFlatDataAndDimensions(side, n, 1),
	}, nil
}

// Loss is the cross entropy of the points' sides, a mean over the points.
func (c cut) Loss(weights []*Node, share *Node, in []*Node) *Node {
	z := Add(MatMul(in[0], weights[0]), InsertAxes(weights[1], 0))
	found := Where(GreaterThan(z, ZerosLike(z)), OnesLike(z), ZerosLike(z))
	each := Sub(Log(AddScalar(Exp(Neg(Abs(z))), 1)), Mul(z, Sub(in[1], found)))
	return Mul(ReduceAllMean(each), share)
}

func (c cut) Open(_ compute.Backend, weights models.Params) (peers.Clusterer, error) {
	return opened{c, weights}, nil
}

type opened struct {
	cut
	weights models.Params
}

func (o opened) Cluster(_ *rand.Rand, x []float32, b, n int) ([][]int32, error) {
	labels := make([][]int32, b)
	for i := range labels {
		labels[i] = make([]int32, n)
		for j := range labels[i] {
			z := o.weights[1].Data[0]
			for d, w := range o.weights[0].Data {
				z += w * x[(i*n+j)*o.dim+d]
			}
			if z > 0 {
				labels[i][j] = 1
			}
		}
		labels[i], _ = metrics.Canonical(labels[i])
	}
	return labels, nil
}

// A new peer trains, resumes, logs and opens by its line in the list alone.
func TestExtendingPeers(t *testing.T) {
	before := kinds
	t.Cleanup(func() { kinds = before })
	kinds = append(slices.Clone(kinds), cutPeer)

	c := Default("cut")
	c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Train.Steps, c.Train.ValidEvery, c.Train.CheckpointEvery = 4,
		6, 6, 3, 3, 3
	dir := t.TempDir()
	result := must.M1(Run(t.Context(), openGo(t), mixtures, c, dir, Listener{}))
	if c.Data.FixedK != 2 || c.Train.LearningRate != 1e-2 || result.Steps != 3 {
		t.Errorf("config %s gave %+v", c, result)
	}
	m := must.M1(ReadModel(BestPath(dir)))
	x, _ := conformBatch(m, 1).Set(0)
	labels := must.M1(must.M1(m.Clusterer(openGo(t))).Cluster(nil, x, 1, len(x)/2))
	if k := slices.Max(labels[0]) + 1; k < 1 || k > 2 {
		t.Errorf("a plane gives %d clusters", k)
	}
}
