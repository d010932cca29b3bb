// Package attention holds the blocks of the Set Transformer (Lee et al. 2019, "Set Transformer: A Framework for
// Attention-based Permutation-Invariant Neural Networks"), which ST and DAC are made of: MAB, SAB, ISAB and PMA.
//
//	MAB(X, Y)  = O + ReLU(O·Wo + bo),  O_h = Q_h + softmax(Q_h·K_hᵀ/√W)·V_h for each head h
//	             Q = X·Wq + bq, K = Y·Wk + bk, V = Y·Wv + bv; the heads split the width W
//	SAB(X)     = MAB(X, X)
//	ISAB(X)    = MAB(X, MAB(I, X))                 with learned inducing points I
//	PMA(X)     = MAB(S, X)                         with learned seeds S
//
// They follow the published code: scores are scaled by the whole width (not by a head's), queries are added to the
// heads' results after their projection, and there is no layer norm and no feed-forward layer before PMA. Weights are
// listed and drawn by package models; a block takes its own as nodes, in the layout's order.
//
// Axis letters: B sets, N points (keys), M queries, H heads, W width.
package attention

import "github.com/gfncp/gfncp/models"

// Sizes are the sizes of a block. Heads divides Width.
type Sizes struct {
	Width    int // of every projection and result
	Heads    int // of attention, Width/Heads wide each
	Inducing int // inducing points of an ISAB
}

// numMAB is the number of weights of one MAB.
const numMAB = 8

// MABLayout lists the weights of a MAB with queries of width inQ and keys of width inK: name + ".query.weight"
// [inQ,Width], ".query.bias" [Width], and likewise key, value and output.
func MABLayout(name string, s Sizes, inQ, inK int) models.Params {
	var ps models.Params
	for _, layer := range []struct {
		name string
		in   int
	}{{"query", inQ}, {"key", inK}, {"value", inK}, {"output", s.Width}} {
		ps = append(ps,
			models.Param{Name: name + "." + layer.name + ".weight", Shape: []int{layer.in, s.Width}},
			models.Param{Name: name + "." + layer.name + ".bias", Shape: []int{s.Width}})
	}
	return ps
}

// ISABLayout lists the weights of an ISAB on points of width in: the inducing points [Inducing,Width] as name +
// ".inducing", the MAB in which they attend to the points (name + ".gather"), and that in which the points attend to
// its result (name + ".spread").
func ISABLayout(name string, s Sizes, in int) models.Params {
	ps := models.Params{{Name: name + ".inducing", Shape: []int{s.Inducing, s.Width}}}
	ps = append(ps, MABLayout(name+".gather", s, s.Width, in)...)
	return append(ps, MABLayout(name+".spread", s, in, s.Width)...)
}

// SABLayout lists the weights of a SAB on points of width in.
func SABLayout(name string, s Sizes, in int) models.Params { return MABLayout(name, s, in, in) }

// PMALayout lists the weights of a PMA on points of width Width: the seeds [seeds,Width] as name + ".seeds" and its
// MAB.
func PMALayout(name string, s Sizes, seeds int) models.Params {
	ps := models.Params{{Name: name + ".seeds", Shape: []int{seeds, s.Width}}}
	return append(ps, MABLayout(name, s, s.Width, s.Width)...)
}
