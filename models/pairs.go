package models

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/engine"
)

// Pairs are the pairs of points of labelled sets.
type Pairs struct {
	Product *Node // [B,N,N] ⟨a_i, a_j⟩ − ⟨b_i, b_j⟩ of the halves a, b of the H hidden columns of h'
	Same    *Node // [B,N,N] 1 where both are in one cluster
	Valid   *Node // [B,N,N] 1 for two real points that are not one
	Count   *Node // [B] the number of points
}

// Pairs are the pairs of the table's points.
func (t Table) Pairs() Pairs {
	b, n := t.labels.Shape().Dimensions[0], t.labels.Shape().Dimensions[1]
	plus, minus := column(t.h, 0, t.hidden/2), column(t.h, t.hidden/2, t.hidden)
	product := Sub(engine.TimesTransposed(plus, plus), engine.TimesTransposed(minus, minus))
	row, column := Reshape(t.labels, b, n, 1), Reshape(t.labels, b, 1, n)
	real := ConvertDType(t.Valid, plus.DType())
	both := Mul(Reshape(real, b, n, 1), Reshape(real, b, 1, n))
	other := OneMinus(ConvertDType(Diagonal(plus.Graph(), n), plus.DType()))
	return Pairs{
		Product: product,
		Same:    ConvertDType(Equal(BroadcastToDims(row, b, n, n), BroadcastToDims(column, b, n, n)), plus.DType()),
		Valid:   Mul(both, InsertAxes(other, 0)),
		Count:   ReduceSum(real, 1),
	}
}
