package sweep

import (
	"encoding/json"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/gfncp/gfncp/internal/cached"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// planVersion is the "schema_version" of plan.json. Adding a field keeps it; any other change raises it.
const planVersion = 1

// Plan is a sweep resolved at a scale: every job with its whole config, and which jobs make up each setting.
type Plan struct {
	SchemaVersion int       `json:"schema_version"`
	Name          string    `json:"name"`
	Hash          string    `json:"hash"` // of all other fields but Runs
	Title         string    `json:"title,omitempty"`
	Question      string    `json:"question,omitempty"`
	Scale         string    `json:"scale"`         // a name of experiments.Scale
	Set           []string  `json:"set,omitempty"` // key=value over the scale's config, for all settings
	Metrics       []string  `json:"metrics"`       // of the table
	Seeds         []uint64  `json:"seeds"`
	Settings      []Setting `json:"settings"`
	Jobs          []Job     `json:"jobs"`
	Runs          string    `json:"runs"` // the directory of all runs, absolute
}

// Setting is one combination of the axes' values.
type Setting struct {
	Label string `json:"label"`
	Data  string `json:"data"` // as tables name it
	Jobs  []int  `json:"jobs"` // Job.N under each seed
}

// digest returns a short hash of the plan without Runs.
func (p *Plan) digest() (string, error) {
	bare := *p
	bare.Runs, bare.Hash = "", ""
	text, err := json.Marshal(bare)
	if err != nil {
		return "", fmt.Errorf("name the plan of %s: %w", p.Name, err)
	}
	return cached.Hash(string(text)), nil
}

// Directory is the name of the sweep's directory.
func (p *Plan) Directory() string { return fmt.Sprintf("%s-%s-%s", p.Name, p.Scale, p.Hash) }

// mostJobs bounds the number of jobs, since a larger grid is probably a mistake.
const mostJobs = 10000

// Plan resolves a sweep at a scale, with the seeds of the file or else 1 to seeds. Every fault of the file shows here,
// before anything runs. Jobs are ordered by seed, so that a sweep that ends early has seen every setting.
func (s *Spec) Plan(scale string, seeds int, bases Bases) (*Plan, error) {
	p := &Plan{
		SchemaVersion: planVersion, Name: s.Name, Title: s.Title, Question: s.Question, Scale: scale,
		Seeds: s.Seeds, Metrics: s.Metrics,
	}
	if len(p.Metrics) == 0 {
		p.Metrics = []string{"NMI", "ARI", "MC"}
	}
	if len(p.Seeds) == 0 {
		for seed := range seeds {
			p.Seeds = append(p.Seeds, uint64(seed+1))
		}
	}
	count := len(p.Seeds)
	for _, axis := range s.axes {
		if count *= len(axis); count > mostJobs {
			return nil, usererr.File(s.Path, 0, "leave some values out",
				"it has more than %d combinations of values and seeds", mostJobs)
		}
	}
	for _, key := range s.common.keys() {
		if !slices.Contains(baseKeys, key) {
			p.Set = append(p.Set, key+" = "+s.common.written(key))
		}
	}
	cells, err := s.resolve(bases)
	if err != nil {
		return nil, err
	}
	p.addJobs(cells)
	p.Hash, err = p.digest()
	return p, err
}

// resolve makes a cell of every combination of places, the last axis varying fastest. Two equal cells are an error.
func (s *Spec) resolve(bases Bases) (cells []cell, err error) {
	var lengths []int
	for _, axis := range s.axes {
		lengths = append(lengths, len(axis))
	}
	same, named := map[train.Config]string{}, map[string]bool{}
	for _, at := range combin.Cartesian(lengths) {
		var places []place
		for i, axis := range s.axes {
			places = append(places, axis[at[i]])
		}
		c, err := s.newCell(places, bases)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", s.Path, c.setting.Label, err)
		}
		label := c.setting.Label + " on " + c.setting.Data
		if other, twice := same[c.config]; twice {
			return nil, usererr.File(s.Path, 0, "leave one out; perhaps a key has no effect on this model",
				"%q and %q are the same setting", other, label)
		}
		if named[label] {
			return nil, usererr.File(s.Path, 0, "give each entry of [[list]] a label of its own",
				"two settings are called %q", label)
		}
		same[c.config], named[label] = label, true
		cells = append(cells, c)
	}
	return cells, usererr.In(s.Path, checkRead(cells))
}

// addJobs makes a job of every setting and seed.
func (p *Plan) addJobs(cells []cell) {
	for _, seed := range p.Seeds {
		for i := range cells {
			c := &cells[i]
			config := c.config
			config.Seed = seed
			n := len(p.Jobs) + 1
			p.Jobs = append(p.Jobs, Job{
				N: n, Name: fmt.Sprintf("%s, seed %d", c.setting.Label, seed), Run: c.base.Run(config),
				Config: config, Test: c.test,
			})
			c.setting.Jobs = append(c.setting.Jobs, n)
		}
	}
	for _, c := range cells {
		p.Settings = append(p.Settings, c.setting)
	}
}
