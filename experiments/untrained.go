package experiments

import (
	"context"
	"errors"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/train"
)

// Run is a training that an experiment needs.
type Run struct {
	Name   string // for people
	Dir    string // its directory, where a table looks for it
	Config train.Config
}

// plan collects the trainings that a lab would do.
type plan struct{ runs []Run }

func (p *plan) add(r Run) {
	for _, known := range p.runs {
		if known.Dir == r.Dir {
			return
		}
	}
	p.runs = append(p.runs, r)
}

// Untrained lists the trainings that an experiment would do in a lab: what neither a finished run nor shipped weights stand for.
// It trains and evaluates nothing. Runs of data that is not there are left out.
func (e Experiment) Untrained(ctx context.Context, lab *Lab) ([]Run, error) {
	if e.configs == nil {
		return nil, nil
	}
	planning := *lab
	planning.plan, planning.Say = &plan{}, nil
	if _, err := e.run(ctx, &planning); err != nil && !errors.Is(err, sources.ErrMissing) {
		return nil, err
	}
	return planning.plan.runs, nil
}
