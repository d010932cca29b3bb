package models

import (
	"context"
	"fmt"
	"sync"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
)

// Network is an energy network with its weights on a backend, folded once and ready to be evaluated. It is safe for
// concurrent use.
type Network struct {
	Config  Config
	Backend compute.Backend
	Buckets Buckets
	// Device says that sets are embedded and decoded on the backend, without transfers to the host, for which an
	// accelerator would wait. It is false on the Go backend, and where loops cannot be compiled.
	Device bool
	// FreeFlows says that the network was trained with free flows. Then its probabilities depend little on the order of
	// the points, and samples remain samples when early decisions are drawn again (see sampling).
	FreeFlows bool

	loop                 *loop
	folded               []*tensors.Tensor
	host                 *onHost // nil if the backend evaluates decisions
	table, encode, score *engine.Func
	fold, among, whole   *engine.Func
	last                 *engine.Func
}

// NewNetwork puts weights on a backend.
func NewNetwork(backend compute.Backend, c Config, ps Params) (*Network, error) {
	n := &Network{
		Config: c, Backend: backend, Buckets: BucketsFor(backend.Name()),
		Device: !engine.OnGo(backend) && backend.Capabilities().Functions, loop: &loop{},
	}
	n.compile()
	if err := c.Layout().Check(ps); err != nil {
		return nil, fmt.Errorf("new network: %w", err)
	}
	return n, n.Update(ps.Tensors())
}

func (n *Network) compile() {
	c := n.Config
	build := func(name string, fn func(f Folded, in []*Node) []*Node) *engine.Func {
		return engine.NewFunc(n.Backend, name, func(in []*Node) []*Node {
			count := c.foldedCount()
			return fn(Unpack(c, in[:count]), in[count:])
		})
	}
	n.table = build("energy table", func(f Folded, in []*Node) []*Node {
		u, in := in[0], in[1:]
		inputs := ListedInputs(in, false)
		return []*Node{f.TableOf(flat(inputs.X), flat(u), inputs).E}
	})
	n.encode = build("encoder", func(f Folded, in []*Node) []*Node {
		h, u := f.Encode(in[0], nil)
		return []*Node{h, u}
	})
	n.among = build("encoder of sets", amongProgram)
	n.whole = build("encoder of whole sets", wholeProgram)
	n.score = build("candidate scores", func(f Folded, in []*Node) []*Node {
		cluster, energy := f.Score(in[0], in[1])
		return []*Node{cluster, energy}
	})
	n.last = build("last energies", func(f Folded, in []*Node) []*Node {
		return []*Node{f.EnergyLast(in[0], in[1])}
	})
	n.fold = engine.NewFunc(n.Backend, "weight folding", func(in []*Node) []*Node { return Fold(c, in).Nodes() })
}

// foldedCount is the length of Folded.Nodes: the first matrices of g and f are folded away.
func (c Config) foldedCount() int { return len(c.Layout()) - 2 }

// Update replaces the weights; the tensors, in the layout's order, stay the caller's. It must not run concurrently with
// other calls.
func (n *Network) Update(weights []*tensors.Tensor) error {
	folded, err := n.fold.Call(weights...)
	if err != nil {
		return err
	}
	engine.Free(n.folded...)
	n.folded = folded
	n.host, err = n.newOnHost(folded)
	return err
}

// loop is a program that is made at its first use.
type loop struct {
	once    sync.Once
	program *engine.Func
}

// Loop returns the program that build makes, the same in each call: package sampling's decoding loop.
func (n *Network) Loop(build func(in []*Node) []*Node) *engine.Func {
	n.loop.once.Do(func() { n.loop.program = engine.NewFunc(n.Backend, "decoding loop", build) })
	return n.loop.program
}

// Folded returns the folded weights in the order of Folded.Nodes, for graphs that embed the network.
func (n *Network) Folded() []*tensors.Tensor { return n.folded }

// largeProduct is the number of multiply-adds from which the Go backend uses another kernel, which is 1.5 to 2 times as
// fast.
const largeProduct = 4 << 20

// DecisionRows rounds up the candidates of a decision, which Score evaluates: not at all on the host, else by
// Buckets.Rows, and on the Go backend to the rows of a large product where at most three in eight of them are padding.
func (n *Network) DecisionRows(rows int) int {
	if n.host != nil {
		return rows
	}
	padded := n.Buckets.Rows(rows)
	large := largeProduct / (n.Config.Hidden * n.Config.Hidden)
	if n.OnGo() && padded < large && 8*rows >= 5*large {
		return n.Buckets.Rows(large)
	}
	return padded
}

// Score evaluates candidate rows: see Folded.Score. sums holds R·W values and rest R·V, R as given by DecisionRows. The
// results are written into cluster (R·V) and energy (R).
func (n *Network) Score(sums, rest []float32, rows int, cluster, energy []float32) error {
	if n.host != nil {
		n.host.score(sums, rest, rows, cluster, energy)
		return nil
	}
	return n.evaluate(n.score, sums, rest, rows, cluster, energy)
}

// LastEnergies is the energies of Score for the last decision, when no point is ahead: see Folded.EnergyLast.
func (n *Network) LastEnergies(sums, rest []float32, rows int, energy []float32) error {
	if n.host != nil {
		n.host.score(sums, rest, rows, nil, energy)
		return nil
	}
	return n.evaluate(n.last, sums, rest, rows, energy)
}

// evaluate calls a program on candidate rows and writes its outputs into results.
func (n *Network) evaluate(program *engine.Func, sums, rest []float32, rows int, results ...[]float32) error {
	w, v := n.Config.Width(), n.Config.StateWidth()
	out, err := program.Values(n.folded, tensors.FromFlatDataAndDimensions(sums[:rows*w], rows, w),
		tensors.FromFlatDataAndDimensions(rest[:rows*v], rows, v))
	for i, values := range out {
		copy(results[i], values)
	}
	return err
}

// Tables returns the energy tables of B labelled sets of N points: x [B,N,D], labels [B,N] numbered by first
// appearance. Result [b][n] holds the K_n+1 energies of point n's candidates; [b][0] is empty.
func (n *Network) Tables(x []float32, labels []int32, b, points int) ([][][]float64, error) {
	h, u, err := n.Encode(context.Background(), x, points)
	if err != nil {
		return nil, err
	}
	return n.TablesOf(h, u, labels, b, points)
}

// tabulatedAtOnce is the number of points whose candidates one call evaluates on the Go backend, at least one set's.
const tabulatedAtOnce = 1024

// TablesOf is Tables for points that Encode has embedded: h' [B,N,W] and u' [B,N,V].
func (n *Network) TablesOf(h, u []float32, labels []int32, b, points int) ([][][]float64, error) {
	atOnce := b
	if n.OnGo() {
		atOnce = max(1, tabulatedAtOnce/points)
	}
	w, v := points*n.Config.Width(), points*n.Config.StateWidth()
	tables := make([][][]float64, b)
	return tables, engine.SideBySide(context.Background(), n.Backend, b, atOnce, func(from, to int) error {
		some, err := n.someTables(h[from*w:to*w], u[from*v:to*v], labels[from*points:to*points], to-from, points)
		copy(tables[from:to], some)
		return err
	})
}

// someTables is TablesOf in one call of the network.
func (n *Network) someTables(h, u []float32, labels []int32, b, points int) ([][][]float64, error) {
	c, err := ListCandidates(labels, b, points, n.Buckets)
	if err != nil {
		return nil, err
	}
	in := []*tensors.Tensor{c.PadPoints(u, n.Config.StateWidth()), c.PadPoints(h, n.Config.Width())}
	out, err := n.table.Values(n.folded, append(in, c.Tensors()...)...)
	if err != nil {
		return nil, err
	}
	return c.unpad(out[0]), nil
}

// unpad cuts the padded table [B,N,K] into ragged rows.
func (c *Candidates) unpad(padded []float32) [][][]float64 {
	tables := make([][][]float64, c.B)
	for set := range tables {
		tables[set] = make([][]float64, c.Count)
		for n := 1; n < c.Count; n++ {
			cell := set*c.N + n
			for _, e := range padded[cell*c.K : cell*c.K+int(c.before[cell])+1] {
				tables[set][n] = append(tables[set][n], float64(e))
			}
		}
	}
	return tables
}

// OnGo reports whether the network runs on the Go backend, where work is split over the cores by its caller.
func (n *Network) OnGo() bool { return engine.OnGo(n.Backend) }
