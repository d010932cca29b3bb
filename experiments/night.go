package experiments

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/pelletier/go-toml/v2"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/train"
)

// nightSize is what two CPU cores train in hours (Lab.Plan estimates how many): sets as large as in the newest
// parameters of the authors, half as many of them a step, and for energy networks on images their number of steps.
func nightSize(c train.Config, d dataset, m method) train.Config {
	c.Data.Batch, c.Data.NMin, c.Data.NMax = 32, 50, 100
	c.Train.ValidEvery, c.Train.CheckpointEvery = 200, 100
	shape := d.kind().Shape
	switch {
	case d.Features:
		c.Train.Steps = 2000
		c.Data.NMin, c.Data.NMax = d.config(m.Model).Data.NMin, d.config(m.Model).Data.NMax
	case c.IsPeer() && shape == data.Images:
		c.Data.Batch, c.Train.Steps = 16, min(c.Train.Steps, 6000)
	case c.IsPeer():
		c.Data.Batch, c.Train.Steps = 16, min(c.Train.Steps, 12000)
	case m.Start == StartFree && shape == data.Mixtures:
		c.Data.NMin, c.Data.NMax, c.Train.Steps = 10, 200, 7000 // of any α
	case shape == data.Mixtures:
		c.Train.Steps = 8000
	}
	if shape == data.Mixtures {
		c.Train.ValidSets = 256
	}
	return c
}

//go:embed night.toml
var nightQueue []byte

// worth is a training's place in the queue: a run, and its seed.
type worth struct {
	run  string
	seed uint64
}

// queue lists the trainings of scale night in order of worth.
func queue() (order []worth, err error) {
	var file struct {
		Training []struct {
			Runs  []string `toml:"runs"`
			Seeds []uint64 `toml:"seeds"`
		} `toml:"training"`
	}
	if err := toml.Unmarshal(nightQueue, &file); err != nil {
		return nil, fmt.Errorf("read night.toml: %w", err)
	}
	for _, t := range file.Training {
		for _, seed := range t.Seeds {
			for _, run := range t.Runs {
				order = append(order, worth{run, seed})
			}
		}
	}
	return order, nil
}

// Queue sorts runs (Untrained) by their worth as night.toml has it; those that it does not name come last, as they are.
func Queue(runs []Run) ([]Run, error) {
	order, err := queue()
	if err != nil {
		return nil, err
	}
	place := func(r Run) int {
		if at := slices.Index(order, worth{r.Weights, r.Config.Seed}); at >= 0 {
			return at
		}
		return len(order)
	}
	sorted := slices.Clone(runs)
	slices.SortStableFunc(sorted, func(a, b Run) int { return place(a) - place(b) })
	return sorted, nil
}
