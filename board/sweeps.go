package board

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"

	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/sweep"
)

// sweepView is a sweep for parallel coordinates: settings at places on axes, with what they have reached.
type sweepView struct {
	Name     string        `json:"name"`
	Title    string        `json:"title"`
	Question string        `json:"question"`
	Axes     []sweep.Axis  `json:"axes"`
	Metrics  []string      `json:"metrics"`
	Metric   string        `json:"metric"` // by which settings are compared
	Settings []settingView `json:"settings"`
	Jobs     []jobView     `json:"jobs"`
}

type settingView struct {
	Label  string     `json:"label"`
	Test   string     `json:"test"`
	At     []int      `json:"at"`
	Values []*float64 `json:"values"` // by metric; null: not done
	Note   string     `json:"note"`   // of the metric by which they are compared
}

type jobView struct {
	Name string `json:"name"`
	Run  string `json:"run"` // the ID of its run
	sweep.State
}

// sweep is a sweep with its numbers as they are now.
func (b *Board) sweep(w http.ResponseWriter, r *http.Request) {
	for _, head := range b.finder.look().Sweeps {
		if head.ID != r.PathValue("id") {
			continue
		}
		view, err := viewOf(head.Dir)
		if err != nil {
			refuse(w, http.StatusUnprocessableEntity, err.Error())
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(view)
		return
	}
	refuse(w, http.StatusNotFound, "this sweep is not there any more")
}

// finite is a number that JSON can hold, or nil.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func viewOf(dir string) (*sweepView, error) {
	s, err := sweep.Open(dir)
	if err != nil {
		return nil, err
	}
	v := &sweepView{
		Name: s.Plan.Name, Title: s.Plan.Title, Question: s.Plan.Question, Axes: s.Plan.Axes, Metrics: s.Plan.Metrics,
		Metric: s.Plan.Metric, Settings: []settingView{}, Jobs: []jobView{},
	}
	var states []sweep.State
	for _, j := range s.Plan.Jobs {
		state := statusOf(s, j)
		states = append(states, state)
		state.Tested = nil // the settings have it
		v.Jobs = append(v.Jobs, jobView{j.Name, idOf(s.RunDir(j)), state})
	}
	if len(s.Plan.Settings) == 0 {
		return v, nil
	}
	results, _ := s.Results(states, table.Provenance{})
	for _, set := range s.Plan.Settings {
		one := settingView{Label: set.Label, Test: set.Test, At: set.At, Values: make([]*float64, len(v.Metrics))}
		for _, c := range results.Cells {
			at := slices.Index(v.Metrics, c.Metric)
			if c.Data != set.Test || c.Model != set.Label || at < 0 {
				continue
			}
			if c.Ours != nil {
				one.Values[at] = finite(c.Ours.Mean)
			}
			if c.Metric == v.Metric {
				one.Note = c.Note
			}
		}
		v.Settings = append(v.Settings, one)
	}
	return v, nil
}
