package main

import (
	"errors"
	"math"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/posterior"
)

// restGradient is the largest component of the gradient where training is at rest.
const restGradient = 1e-11

// restSteps is the number of steps after which a training that is not at rest is given up.
const restSteps = 320

// restingPoints holds the point where an objective comes to rest from the law, and the total variations from other
// starts that come to rest.
type restingPoints struct {
	law         []float64
	k, tv, mc   float64
	settled     int // number of other starts that come to rest
	least, most float64
}

// findRest follows an objective from several starts. From the first, the law, it must come to rest.
func findRest(l *tabularLoss, starts int) (r restingPoints) {
	r.least = math.Inf(1)
	for start := range starts {
		e, rests := l.follow(startAt(l.states, start))
		if !rests && start == 0 {
			panic("training from the law does not come to rest")
		}
		if !rests {
			continue
		}
		law := l.modelLaw()
		k, tv := compareLaws(l.exact, law)
		if start == 0 {
			r.law, r.k, r.tv, r.mc = law, k, tv, l.exactConsistency(e)
			continue
		}
		r.settled++
		r.least, r.most = min(r.least, tv), max(r.most, tv)
	}
	return r
}

// exactConsistency is the expected MC, a sum over the decisions without a clamp, with the flows of the objective.
func (l *tabularLoss) exactConsistency(e []float64) float64 {
	c := losses.Config{Flows: l.config.Flows}
	exact := newTabularLoss(l.states, losses.DataStep, c)
	exact.set(e)
	return exact.consistency(e, make([]float64, len(e)), 0)
}

// compareLaws returns the expected K of a law, and its total variation from the exact one.
func compareLaws(exact *posterior.Distribution, law []float64) (k, tv float64) {
	logLaw := make([]float64, len(law))
	for p, v := range law {
		logLaw[p] = math.Log(v)
	}
	model := must.M1(posterior.NewDistribution(len(exact.Labels[0]), logLaw))
	return model.ExpectedK(), exact.TotalVariation(model)
}

// follow moves energies against the gradient until it is 0, by linearly implicit Euler steps (Hairer & Wanner,
// Solving Ordinary Differential Equations II, 1996, IV.9) of
//
//	m·dE/dt = −∇,   m the probability of the state
//
// whose length grows until they are Newton's. A state that the data seldom reach has a small gradient; m gives it the
// pace of the others and does not change where the energies rest. It reports whether they do.
func (l *tabularLoss) follow(e []float64) (end []float64, rests bool) {
	size, time := len(e), 1.0
	gradient, trial, next := make([]float64, size), make([]float64, size), make([]float64, size)
	slopes, step := mat.NewDense(size, size, nil), mat.NewVecDense(size, nil)
	l.field(gradient, e)
	for range restSteps {
		if floats.Norm(gradient, math.Inf(1)) < restGradient {
			return e, true
		}
		fd.Jacobian(slopes, l.field, e, &fd.JacobianSettings{Formula: fd.Forward, OriginValue: gradient})
		for i, m := range l.mass {
			slopes.Set(i, i, slopes.At(i, i)+m/time)
		}
		var nearSingular mat.Condition
		if err := step.SolveVec(slopes, mat.NewVecDense(size, gradient)); err != nil && !errors.As(err, &nearSingular) {
			panic(err)
		}
		longest := mat.Norm(step, math.Inf(1))
		floats.AddScaledTo(trial, e, -min(1, 1/longest), step.RawVector().Data)
		before := l.pace(gradient)
		l.field(next, trial)
		e, trial, gradient, next = trial, e, next, gradient
		if longest < 1 && l.pace(gradient) < 2*before {
			time = min(3*time, 1e8)
		} else {
			time /= 3
		}
	}
	return e, false
}

// pace is the largest component of a gradient, divided by the root of its state's probability.
func (l *tabularLoss) pace(gradient []float64) (largest float64) {
	for i, v := range gradient {
		largest = max(largest, math.Abs(v)/math.Sqrt(l.mass[i]))
	}
	return largest
}
