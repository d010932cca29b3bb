package experiments

import (
	"cmp"
	"context"
	"strings"

	"github.com/gfncp/gfncp/train"
)

// Planned is a training that is still to be done, or to be finished.
type Planned struct {
	Run
	Step  int     // steps that its run directory has done
	Hours float64 // an estimate of what is left of it, on a machine like the one that Rate comes from; 0: unknown
	Rate  string  // where the estimate comes from: the run itself, or the name of shipped weights
}

// Plan says of runs (Untrained) how far they are and how long they will take. A run that has begun goes on as it did;
// another takes as long a point as the training of the weights that are shipped for it, or else of the same data.
func (l *Lab) Plan(runs []Run) (all []Planned) {
	for _, r := range runs {
		p := Planned{Run: r}
		seconds := 0.0
		_ = train.Replay(r.Dir, train.Listener{Step: func(s train.StepReport, _ int) {
			p.Step, seconds = s.Step, seconds+s.Seconds
		}}) // a run that has no log has not begun
		perStep := 0.0
		if p.Step > 0 {
			p.Rate, perStep = "itself", seconds/float64(p.Step)
		} else {
			p.Rate, perStep = l.rate(r)
		}
		p.Hours = perStep * float64(max(0, r.Config.Train.Steps-p.Step)) / 3600
		all = append(all, p)
	}
	return all
}

// Do trains a run to its end, or goes on with it. The end of ctx gives train.ErrInterrupted.
func (l *Lab) Do(ctx context.Context, r Run) error {
	_, _, err := l.train(ctx, r.Dir, r.Name, r.Config)
	return err
}

// rate is how long a step of a run takes by the training of shipped weights, and their name; 0 where there are none.
func (l *Lab) rate(r Run) (name string, seconds float64) {
	if l.Shipped == nil {
		return "", 0
	}
	plain := strings.TrimSuffix(r.Weights, "-fixed")
	newest := strings.Replace(plain, "-"+StartEarlier, coldSuffix, 1)
	for _, name := range []string{plain, newest, r.Config.Data.Source + "-" + train.NCP} {
		if m, ok := l.Shipped(name); ok && m.Card.Steps > 0 {
			each := m.Card.Seconds / (float64(m.Card.Steps) * points(m.Config))
			return name, each * points(r.Config)
		}
	}
	return "", 0
}

// points is the mean number of points of a step.
func points(c train.Config) float64 {
	return float64(cmp.Or(c.Data.Batch, 1)) * float64(c.Data.NMin+c.Data.NMax) / 2
}
