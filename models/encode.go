package models

import (
	"context"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
)

// atOnce is the number of points that one call of the encoder embeds. It bounds the memory of the image encoder. On the
// Go backend calls run side by side, and small ones fit into the processor's cache better.
func (n *Network) atOnce() int {
	if n.OnGo() {
		return 512
	}
	return 2048
}

// Encode embeds sets of N points x [B·N,D] as h' [B·N,W] and u' [B·N,V] (zero in online mode). N does not matter if a
// point's embedding depends on no other point. It returns the error of ctx once that has ended.
func (n *Network) Encode(ctx context.Context, x []float32, points int) (h, u []float32, err error) {
	if !n.Config.seesSets() {
		return n.inChunks(ctx, x, n.atOnce(), n.encodeRows)
	}
	if points > mostNeighbours {
		return n.inChunks(ctx, x, points, func(set []float32) (h, u []float32, err error) {
			return n.EncodeSome(ctx, set, set)
		})
	}
	return n.inChunks(ctx, x, max(1, n.atOnce()/points)*points, func(sets []float32) ([]float32, []float32, error) {
		return n.encodeAmong(sets, sets, points, points, 1)
	})
}

// EncodeSome is Encode for some points x [M,D] of one set [N,D].
func (n *Network) EncodeSome(ctx context.Context, x, set []float32) (h, u []float32, err error) {
	d := n.Config.Dim
	if !n.Config.seesSets() {
		return n.Encode(ctx, x, 1)
	}
	others, scale := sampleOf(set, d)
	return n.inChunks(ctx, x, n.atOnce(), func(some []float32) ([]float32, []float32, error) {
		return n.encodeAmong(some, others, len(some)/d, len(others)/d, scale)
	})
}

// EncodeLast embeds points x [M,D] beside the points of a set [N,D] for the last decision about each: h' [M,W]. In an
// extended network that sees whole sets that decision needs only their coordinates, and columns that are the same for
// all candidates are 0.
func (n *Network) EncodeLast(ctx context.Context, x, set []float32) (h []float32, err error) {
	if !n.Config.seesSets() {
		h, _, err = n.EncodeSome(ctx, x, set)
		return h, err
	}
	d, width, columns := n.Config.Dim, n.Config.Width(), n.Config.pointColumns()
	alpha := n.withAlpha(x)
	h = make([]float32, len(x)/d*width)
	for i := range len(x) / d {
		row := h[i*width+n.Config.trainedColumns() : (i+1)*width]
		row[0] = 1
		for j, v := range x[i*d : (i+1)*d] {
			row[1+j], row[1+columns+j] = v, v*v
		}
		copy(row[1+2*columns:], alpha[i*n.Config.Inputs()+d:(i+1)*n.Config.Inputs()])
	}
	return h, nil
}

// inChunks embeds x [M,D] some points at a time.
func (n *Network) inChunks(
	ctx context.Context, x []float32, points int, encode func(some []float32) (h, u []float32, err error),
) (h, u []float32, err error) {
	d, w, v := n.Config.Dim, n.Config.Width(), n.Config.StateWidth()
	count := len(x) / d
	h, u = make([]float32, count*w), make([]float32, count*v)
	return h, u, engine.SideBySide(ctx, n.Backend, count, points, func(from, to int) error {
		someH, someU, err := encode(x[from*d : to*d])
		copy(h[from*w:to*w], someH)
		copy(u[from*v:to*v], someU)
		return err
	})
}

// encodeRows embeds points x [M,D], each by itself, in one call of the network.
func (n *Network) encodeRows(x []float32) (h, u []float32, err error) {
	m := len(x) / n.Config.Dim
	padded := n.Buckets.Rows(m)
	x = n.withAlpha(resized(x, m*n.Config.Dim, padded*n.Config.Dim))
	if h, u, err = n.embed(n.encode, tensors.FromFlatDataAndDimensions(x, padded, n.Config.Inputs())); err != nil {
		return nil, nil, err
	}
	return h[:m*n.Config.Width()], u[:m*n.Config.StateWidth()], nil
}

// encodeAmong embeds points x [B,points,D] that look at others [B,count,D] in one call of the network. Each of others
// stands for scale points.
func (n *Network) encodeAmong(
	x, others []float32, points, count int, scale float32,
) (h, u []float32, err error) {
	d, w, v := n.Config.Dim, n.Config.Width(), n.Config.StateWidth()
	sets := len(x) / (points * d)
	padded, most := n.Buckets.Points(points), n.Buckets.Points(count)
	x = n.withAlpha(resized(x, points*d, padded*d))
	others = resized(others, count*d, most*d)
	h, u, err = n.embed(n.among, tensors.FromFlatDataAndDimensions(x, sets, padded, n.Config.Inputs()),
		tensors.FromFlatDataAndDimensions(others, sets, most, d), tensors.FromScalar(int32(count)),
		tensors.FromScalar(scale))
	return resized(h, padded*w, points*w), resized(u, padded*v, points*v), err
}

// withAlpha appends the inputs for an unknown α to points.
func (n *Network) withAlpha(x []float32) []float32 {
	return n.Config.WithAlpha(x, len(x)/n.Config.Dim, nil)
}

// embed calls a program that returns h' and u'.
func (n *Network) embed(program *engine.Func, in ...*tensors.Tensor) (h, u []float32, err error) {
	out, err := program.Values(n.folded, in...)
	if err != nil {
		return nil, nil, err
	}
	return out[0], out[1], nil
}

// resized cuts each row of x from a number of values to another, or pads it with zeros.
func resized(x []float32, from, to int) []float32 {
	if from == to {
		return x
	}
	rows := make([]float32, len(x)/from*to)
	for i := range len(x) / from {
		copy(rows[i*to:(i+1)*to], x[i*from:(i+1)*from])
	}
	return rows
}

// amongProgram is the graph of encodeAmong: x [B,N,Inputs], others [B,M,D], the number of real ones among others, and
// the number of points that each stands for.
func amongProgram(f Folded, in []*Node) []*Node {
	others := in[1].Shape().Dimensions
	valid, _ := realPoints(in[2], others[0], others[1])
	points, more := f.columns(in[0])
	h, u := f.encodeAmong(points, in[1], more, valid, in[3])
	return []*Node{h, u}
}

// mostOnDevice is the number of padded points that EmbedSets embeds in one call.
const mostOnDevice = 1 << 17

// Embedded holds the embedded points of whole sets on the backend.
type Embedded struct {
	H, U         *tensors.Tensor // [S·Stride,W] and [S·Stride,V]: h' and u' of the padded points of padded sets
	Ahead, Carry *tensors.Tensor // [S,V] Σ u' of each set, rounded, and its rounding error
	Sets, Stride int             // S, and the padded points of a set
}

// Free gives the memory back.
func (e *Embedded) Free() { engine.Free(e.H, e.U, e.Ahead, e.Carry) }

// FitsDevice reports whether EmbedSets takes B sets of so many points.
func (n *Network) FitsDevice(b, points int) bool {
	if n.Config.seesSets() && points > mostNeighbours {
		return false
	}
	return n.Buckets.Sequences(b)*n.Buckets.InLoop(points) <= mostOnDevice
}

// EmbedSets is Encode of B sets of N points x [B,N,D] whose results stay on the backend; FitsDevice must hold.
func (n *Network) EmbedSets(x []float32, b, points int) (*Embedded, error) {
	inputs := n.Config.Inputs()
	sets, room := n.Buckets.Sequences(b), n.Buckets.InLoop(points)
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
	e := &Embedded{Sets: n.Buckets.Sequences(x.Shape().Dimensions[0]), Stride: n.Buckets.InLoop(points)}
	in := []*tensors.Tensor{tensors.FromScalar(int32(points)), SlotNumbers(e.Sets), SlotNumbers(e.Stride)}
	defer engine.Free(in...)
	out, err := n.whole.Call(slices.Concat(n.folded, []*tensors.Tensor{x}, in)...)
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

// longer pads an axis of x to a length with a value at its end.
func longer(x *Node, axis, length int, value float64) *Node {
	dims := slices.Clone(x.Shape().Dimensions)
	if dims[axis] == length {
		return x
	}
	dims[axis] = length - dims[axis]
	behind := BroadcastToDims(Scalar(x.Graph(), x.DType(), value), dims...)
	return Concatenate([]*Node{x, behind}, axis)
}

// sumExactly adds the points of x [S,N,V] up, two halves at a time. It returns the sum [S,V] and its rounding error
// (Knuth's two-sum).
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
