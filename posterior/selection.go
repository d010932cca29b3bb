package posterior

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
)

// Shape is what the covariances of clusters have in common.
type Shape int

// The shapes that a Selection may choose from.
const (
	ShapeFull     Shape = iota // any covariance, each cluster its own (NIW)
	ShapeAxes                  // diagonal in the chosen directions, each cluster its own (Diagonal)
	ShapeTied                  // any covariance, the same in all clusters
	ShapeTiedAxes              // diagonal in the chosen directions, the same in all clusters
)

func (s Shape) hasAxes() bool { return s == ShapeAxes || s == ShapeTiedAxes }

// Selection leaves unknown in which directions Gaussian clusters differ, and of what shape they are: variable selection
// for model-based clustering (Tadesse, Sha & Vannucci 2005; Raftery & Dean 2006; Maugis, Celeux & Martin-Magniette
// 2009). q of F directions are chosen. Given what the points are in these, the rest does not hang on the clusters, but
// is one Gaussian's:
//
//	p(x | c, S, shape) = p(x_S | c, shape) · p₁(x) / p₁(x_S)
//
// where x_S are the points in the chosen directions and p₁ is the density without clusters, with the prior
// Σ ~ IW(P+2, C), μ ~ N(0, Σ), C being the points' covariance: so directions that only go with the chosen ones tell
// nothing. Some directions may be axes, as columns are. If the chosen ones are axes, the others may also be independent
// of these and of each other, with the probability of a half, and shapes may be diagonal: axes that were found in the
// points, as principal components are, would have no correlation to begin with.
//
// In the chosen directions the prior of a cluster is that of EmpiricalNIW, around 0, or its diagonal. The prior of q is
// uniform on 1 to Most, and so is then that of the choice, which holds against what many directions bring about by
// chance (Scott & Berger 2010); that of the possible shapes is uniform.
type Selection struct {
	Covariance *mat.SymDense // [P,P] of the points, whose mean is 0, in squares of data units; positive definite
	Directions [][]float64   // [F][P]; a choice of dependent ones has probability 0
	Axes       int           // place of the first axis: the directions from there on; F for none
	Most       int           // most chosen directions, at least 1 and at most P
	Start      []int         // places of those to start from, rising; independent
	Shapes     []Shape       // what there is; ShapeFull, with which chains start, first
}

// Dimension returns P.
func (s *Selection) Dimension() int { return s.Covariance.SymmetricDim() }

// Validate returns nil, or all faults at once, joined: one *usererr.Error each.
func (s *Selection) Validate() error {
	var faults usererr.Faults
	p, f := s.Dimension(), len(s.Directions)
	var factor mat.Cholesky
	faults.Demand(factor.Factorize(s.Covariance), "covariance", p, "a positive definite matrix")
	faults.Demand(s.Most >= 1 && s.Most <= p, "most", s.Most, "1 to the number of coordinates")
	faults.Demand(len(s.Start) >= 1 && len(s.Start) <= s.Most, "start", s.Start, "1 to most directions")
	for i, at := range s.Start {
		rising := at >= 0 && at < f && (i == 0 || at > s.Start[i-1])
		faults.Demand(rising, "start", s.Start, "rising places of directions")
	}
	faults.Demand(s.Axes >= 0 && s.Axes <= f, "axes", s.Axes, "the place of a direction, or their number")
	faults.Demand(len(s.Shapes) > 0 && s.Shapes[0] == ShapeFull, "shapes", s.Shapes, "ShapeFull first")
	for _, shape := range s.Shapes {
		faults.Demand(shape >= ShapeFull && shape <= ShapeTiedAxes, "shape", shape, "one of those that there are")
	}
	return errors.Join(faults...)
}

// check returns N of points x [N·P], or the faults of settings and points.
func (s *Selection) check(x []float64) (n int, err error) {
	p := s.Dimension()
	if n, err = countPoints(x, p); err != nil {
		return 0, err
	}
	for i, w := range s.Directions {
		if len(w) != p {
			return 0, fmt.Errorf("direction %d has %d numbers, want %d: %w", i, len(w), p, metrics.ErrLength)
		}
	}
	return n, s.Validate()
}

// LogCommon returns the log-density in nats of each of points x [n·P] in some directions [q][P], which are independent,
// under one Gaussian with the points' covariance. A law's density less this is one over that of points without
// clusters, and can be compared with that of other directions.
func (s *Selection) LogCommon(directions [][]float64, x []float64) ([]float64, error) {
	q := len(directions)
	w := mat.NewDense(q, s.Dimension(), nil)
	for i, direction := range directions {
		w.SetRow(i, direction)
	}
	var left, square mat.Dense
	left.Mul(w, s.Covariance)
	square.Mul(&left, w.T())
	covariance := mat.NewSymDense(q, nil)
	for i := range q {
		for j := i; j < q; j++ {
			covariance.SetSym(i, j, square.At(i, j))
		}
	}
	law, ok := distmv.NewNormal(make([]float64, q), covariance, nil)
	if !ok {
		return nil, usererr.New("choose others", "the %d directions depend on each other", q)
	}
	y := project(x, directions)
	logs := make([]float64, len(y)/q)
	for i := range logs {
		logs[i] = law.LogProb(y[i*q : (i+1)*q])
	}
	return logs, nil
}

// project returns points x [N·P] in directions [q][P]: [N·q].
func project(x []float64, directions [][]float64) []float64 {
	p := len(directions[0])
	y := make([]float64, 0, len(x)/p*len(directions))
	for at := 0; at < len(x); at += p {
		for _, w := range directions {
			y = append(y, floats.Dot(w, x[at:at+p]))
		}
	}
	return y
}
