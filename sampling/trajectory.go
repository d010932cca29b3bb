package sampling

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

// loop is the state of the compiled loop as nodes. Values that never change are part of it, too: a body that captures
// nodes from outside works on the Go backend, but go-xla refuses to add or compare them with its own.
type loop struct {
	step    *Node // scalar int32, steps done of this segment
	most    *Node // scalar int32, the largest K_n
	sums    *Node // [S,K,W] Σ h' of each cluster, zero from slot K_n on
	gammas  *Node // [S,K,V] g' of each cluster, zero from slot K_n on
	ahead   *Node // [S,V] Σ u' of the points after the current one
	carry   *Node // [S,V] rounding error of ahead
	k       *Node // [S] int32, K_n
	record  *Node // [C,4,S] per step: label, its log-probability, its energy, entropy of the decision; 0 to come
	limit   *Node // scalar int32, steps of this segment
	h, u    *Node // [M,W] and [M,V], embeddings
	at      *Node // [C,S] int32, rows of the embeddings in the order met
	draw    *Node // [C,S] draws, see take
	weights []*Node
}

func (l loop) nodes() []*Node {
	return append(
		[]*Node{l.step, l.most, l.sums, l.gammas, l.ahead, l.carry, l.k, l.record, l.limit, l.h, l.u, l.at, l.draw},
		l.weights...)
}

func loopFrom(n []*Node) loop {
	return loop{n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10], n[11], n[12], n[13:]}
}

const (
	recorded   = 4 // values that the loop notes of each decision
	unrolled   = 4 // steps of the body, after which an accelerator waits for the host to read whether to go on
	stateCount = 8 // nodes of loop that go from call to call: step to record
)

// program returns the compiled loop of a network, whatever its weights. Its arguments are loop.nodes, its results the
// steps done, as float32, and the other nodes of the state.
func program(net *models.Network) *engine.Func {
	c := net.Config
	return net.Loop(func(in []*Node) []*Node { return trajectory(c, in) })
}

// trajectory decides points until the segment ends or a sequence has used all its slots.
//
// Four rules keep it valid on every backend. Nothing is captured (see loop). No constant of GoMLX's cache (ScalarZero,
// Zeros, …) and no reduction is used outside the body, for both are made once a graph and belong to the function that
// used them first. Loops do not nest. In the body no broadcast is written out before a binary operation or Where:
// the Go backend fuses the two after it has planned the body, and then fails with "not computed yet".
func trajectory(c models.Config, in []*Node) []*Node {
	g := in[0].Graph()
	parameters := func(g *Graph) loop {
		nodes := make([]*Node, len(in))
		for i, n := range in {
			nodes[i] = Parameter(g, fmt.Sprintf("state_%d", i), n.Shape())
		}
		return loopFrom(nodes)
	}
	cond := NewClosure(g, func(g *Graph) []*Node {
		l := parameters(g)
		slots := int32(l.sums.Shape().Dimensions[1])
		return []*Node{LogicalAnd(LessThan(l.step, l.limit), LessThan(l.most, Const(g, slots)))}
	})
	body := NewClosure(g, func(g *Graph) []*Node {
		l := parameters(g)
		for range unrolled {
			l = l.next(c)
		}
		return l.nodes()
	})
	end := loopFrom(While(cond, body, in...))
	return append([]*Node{ConvertDType(end.step, dtypes.Float32)}, end.nodes()[1:stateCount]...)
}

// next takes one step: the candidates of one point of each sequence, a choice, and the state after it. The state stays
// as it is where the segment has ended within a body, or a sequence has used all its slots.
func (l loop) next(c models.Config) loop {
	g := l.step.Graph()
	d := l.sums.Shape().Dimensions
	s, slots, w, v := d[0], d[1], d[2], l.gammas.Shape().Dimensions[2]
	goes := LogicalAnd(LessThan(l.step, l.limit), LessThan(l.most, Const(g, int32(slots))))
	only := func(x *Node) *Node { // 0 where the loop stands
		return Where(goes, x, Scalar(g, x.DType(), 0))
	}
	step := Reshape(only(l.step), 1, 1) // any valid step, where the loop stands
	row := Reshape(Gather(l.at, step), s, 1)
	h := Gather(l.h, row) // [S,W]
	l.ahead, l.carry = subtract(l.ahead, l.carry, only(Gather(l.u, row)))

	shape := shapes.Make(dtypes.Int32, s, slots)
	slot := Iota(g, shape, 1)
	grown := Add(l.sums, Reshape(h, s, 1, w))
	others := Add(ReduceSum(l.gammas, 1), Add(l.ahead, l.carry)) // G afresh each step, so that nothing drifts
	rest := Sub(Reshape(others, s, 1, v), l.gammas)
	folded := models.Unpack(c, l.weights)
	gammas, energy := folded.Score(Reshape(grown, s*slots, w), Reshape(rest, s*slots, v))
	gammas, energy = Reshape(gammas, s, slots, v), Reshape(energy, s, slots)

	logProbs := logSoftmaxMasked(Neg(energy), LessOrEqual(slot, Reshape(l.k, s, 1))) // [S,K]
	draw := Reshape(Gather(l.draw, step), s)
	label := decide(logProbs, draw, l.k) // [S]
	chosen := Equal(slot, Reshape(label, s, 1))
	note := func(x *Node) *Node { return Reshape(x, 1, 1, s) }
	atChosen := func(x *Node) *Node { return ReduceSum(Where(chosen, x, Scalar(g, x.DType(), 0)), 1) }
	notes := only(Concatenate([]*Node{
		note(ConvertDType(label, dtypes.Float32)), note(atChosen(logProbs)), note(atChosen(energy)),
		note(entropyOf(logProbs)),
	}, 1))
	l.record = ScatterSum(l.record, step, notes, true, true)

	joined := Reshape(LogicalAnd(chosen, goes), s, slots, 1)
	l.sums, l.gammas = Where(joined, grown, l.sums), Where(joined, gammas, l.gammas)
	one := Const(g, int32(1))
	l.k = Max(l.k, only(Add(label, one)))
	l.most = ReduceAllMax(l.k)
	l.step = Add(l.step, only(one))
	return l
}

// subtract returns a + carry − x as a rounded value and its rounding error. So Σ u' is as exact after many subtractions
// as at the start (Knuth's two-sum).
func subtract(a, carry, x *Node) (value, rest *Node) {
	value = Sub(a, x)
	back := Sub(value, a)
	lost := Sub(Sub(a, Sub(value, back)), Add(x, back))
	return value, Add(carry, lost)
}

// logSoftmaxMasked is log softmax over the last axis of x [S,K] where mask holds, −1e30 elsewhere.
func logSoftmaxMasked(x, mask *Node) *Node {
	low := Const(x.Graph(), float32(-models.Illegal))
	x = Where(mask, x, low)
	x = Sub(x, InsertAxes(ReduceMax(x, 1), 1))
	x = Sub(x, InsertAxes(Log(ReduceSum(Exp(x), 1)), 1))
	return Where(mask, x, low)
}

// entropyOf is −Σ p log p over the last axis, in nats.
func entropyOf(logProbs *Node) *Node { // p is 0 where log p is −1e30
	return Neg(ReduceSum(Mul(Exp(logProbs), logProbs), 1))
}

// decide is take in a graph: it returns the slots [S] for draws [S], given log-probabilities [S,K] and K_n [S].
func decide(logProbs, draw, k *Node) *Node {
	minus := Const(draw.Graph(), float32(-1))
	kept := ConvertDType(Sub(minus, draw), dtypes.Int32)
	label := Where(GreaterOrEqual(draw, Const(draw.Graph(), float32(takeBest))),
		ArgMax(logProbs, 1, dtypes.Int32), inverted(logProbs, draw, k))
	return Where(LessOrEqual(draw, minus), kept, label)
}

// inverted is invert in a graph: it counts the candidates whose cumulative probability is at most u.
func inverted(logProbs, u, k *Node) *Node {
	upTo := ConvertDType(UpperTriangular(logProbs.Graph(), logProbs.Shape().Dimensions[1]), logProbs.DType())
	below := LessOrEqual(Dot(Exp(logProbs), upTo).Product(), InsertAxes(u, 1))
	return Min(ReduceSum(ConvertDType(below, dtypes.Int32), 1), k)
}
