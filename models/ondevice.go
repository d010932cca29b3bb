package models

import (
	"fmt"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
)

// mostOnDevice is the number of padded points that EmbedSets embeds in one call.
const mostOnDevice = 1 << 17

// Embedded are the points of whole sets on the backend. The caller frees them.
type Embedded struct {
	H, U         *tensors.Tensor // [S·Stride,W] and [S·Stride,V]: h' and u' of the padded points of padded sets
	Ahead, Carry *tensors.Tensor // [S,V] Σ u' of each set, rounded, and what rounding took from it
	Sets, Stride int             // S, and the padded points of a set
}

// Free gives the memory back.
func (e *Embedded) Free() { engine.Free(e.H, e.U, e.Ahead, e.Carry) }

// FitsDevice reports whether EmbedSets takes B sets of so many points.
func (n *Network) FitsDevice(b, points int) bool {
	if n.Config.readsWholeSet() && points > mostNeighbours {
		return false
	}
	return n.Buckets.SideBySide(b)*n.Buckets.InLoop(points) <= mostOnDevice
}

// EmbedSets is Encode of B sets of N points x [B,N,D] whose results stay on the backend; FitsDevice must hold.
func (n *Network) EmbedSets(x []float32, b, points int) (*Embedded, error) {
	d, inputs := n.Config.Dim, n.Config.Inputs()
	if b < 1 || points < 1 || len(x) != b*points*d {
		return nil, fmt.Errorf("embed %d sets of %d points in %d dimensions: got %d values", b, points, d, len(x))
	}
	sets, room := n.Buckets.SideBySide(b), n.Buckets.InLoop(points)
	padded := make([]float32, sets*room*inputs)
	for set, from := range slices.Collect(slices.Chunk(n.withAlpha(x), points*inputs)) {
		copy(padded[set*room*inputs:], from)
	}
	there := tensors.FromFlatDataAndDimensions(padded, sets, room, inputs)
	defer engine.Free(there)
	return n.EmbedThere(there, points)
}

// EmbedThere is EmbedSets for points [B,Buckets.InLoop(N),Inputs] that are on the backend already. The caller keeps
// them.
func (n *Network) EmbedThere(x *tensors.Tensor, points int) (*Embedded, error) {
	e := &Embedded{Sets: n.Buckets.SideBySide(x.Shape().Dimensions[0]), Stride: n.Buckets.InLoop(points)}
	in := []*tensors.Tensor{tensors.FromScalar(int32(points)), SlotNumbers(e.Sets), SlotNumbers(e.Stride)}
	defer engine.Free(in...)
	out, err := n.whole.CallOn(n.Place, slices.Concat(n.folded, []*tensors.Tensor{x}, in)...)
	if err != nil {
		return nil, err
	}
	e.H, e.U, e.Ahead, e.Carry = out[0], out[1], out[2], out[3]
	return e, nil
}

// wholeProgram is the graph of EmbedThere: x [B,N,Inputs], the number of real points, and two vectors whose lengths are
// the sets and the stride of the results.
func wholeProgram(f Folded, in []*Node) []*Node {
	b, points := in[0].Shape().Dimensions[0], in[0].Shape().Dimensions[1]
	sets, stride := in[2].Shape().Dimensions[0], in[3].Shape().Dimensions[0]
	valid, _ := realPoints(in[1], b, points)
	h, u := f.EncodeSets(in[0], valid, nil)
	u = Mul(u, ConvertDType(Reshape(valid, b*points, 1), u.DType()))
	ahead, carry := sumExactly(Reshape(u, b, points, -1))
	wide := func(x *Node) *Node {
		return Reshape(longer(longer(Reshape(x, b, points, -1), 1, stride, 0), 0, sets, 0), sets*stride, -1)
	}
	return []*Node{wide(h), wide(u), longer(ahead, 0, sets, 0), longer(carry, 0, sets, 0)}
}

// longer puts a value behind x until its axis has a length.
func longer(x *Node, axis, length int, value float64) *Node {
	dims := slices.Clone(x.Shape().Dimensions)
	if dims[axis] == length {
		return x
	}
	dims[axis] = length - dims[axis]
	behind := BroadcastToDims(Scalar(x.Graph(), x.DType(), value), dims...)
	return Concatenate([]*Node{x, behind}, axis)
}

// sumExactly adds the points of x [S,N,V] up, two halves at a time: the sum [S,V], and what rounding took from it, also
// added up (Knuth's two-sum).
func sumExactly(x *Node) (sum, lost *Node) {
	lost = ZerosLike(x)
	for n := x.Shape().Dimensions[1]; n > 1; n = x.Shape().Dimensions[1] {
		half := n / 2
		cut := func(x *Node, from, to int) *Node { return Slice(x, AxisRange(), AxisRange(from, to)) }
		a, b := cut(x, 0, half), cut(x, half, 2*half)
		added := Add(a, b)
		back := Sub(added, a)
		err := Add(Sub(a, Sub(added, back)), Sub(b, back))
		err = Add(err, Add(cut(lost, 0, half), cut(lost, half, 2*half)))
		if n%2 == 1 {
			added = Concatenate([]*Node{added, cut(x, n-1, n)}, 1)
			err = Concatenate([]*Node{err, cut(lost, n-1, n)}, 1)
		}
		x, lost = added, err
	}
	return Squeeze(x, 1), Squeeze(lost, 1)
}
