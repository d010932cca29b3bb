package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/gfncp/gfncp/losses"
)

// StepReport says what one step did. In JSON the terms stand after the loss, each under its own name (docs/json.md).
type StepReport struct {
	Step     int                `json:"step"` // counted from 1
	Kind     string             `json:"kind"` // "likelihood", "warm-up", "data", "explore"; for a peer its name
	Loss     float64            `json:"loss"`
	Terms    map[string]float64 `json:"-"`         // the loss's parts, by the names of losses.Named
	GradNorm float64            `json:"grad_norm"` // before clipping
	Rate     float64            `json:"learning_rate"`
	Points   int                `json:"points"`   // N of the batch
	Clusters float64            `json:"clusters"` // mean K of the data's labels
	// mean K of the negative samples: far from Clusters means a collapse
	Sampled float64 `json:"sampled,omitempty"`
	Seconds float64 `json:"seconds,omitempty"` // wall time of the step
}

// plainReport is a StepReport without its terms.
type plainReport StepReport

// MarshalJSON writes the terms that every line has, 0 where the step has none, and others where they are not 0.
func (r StepReport) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(plainReport(r))
	if err != nil {
		return nil, err
	}
	var terms []byte
	for _, t := range losses.Named() {
		if !t.Logged && r.Terms[t.Name] == 0 {
			continue
		}
		value, err := json.Marshal(map[string]float64{t.Name: r.Terms[t.Name]})
		if err != nil {
			return nil, err
		}
		terms = append(append(terms, ','), value[1:len(value)-1]...)
	}
	return slices.Insert(text, bytes.Index(text, []byte(`,"grad_norm":`)), terms...), nil
}

// UnmarshalJSON is the inverse of MarshalJSON; terms of 0 are left out.
func (r *StepReport) UnmarshalJSON(text []byte) error {
	var fields map[string]any
	if err := errors.Join(json.Unmarshal(text, (*plainReport)(r)), json.Unmarshal(text, &fields)); err != nil {
		return err
	}
	r.Terms = map[string]float64{}
	for _, t := range losses.Named() {
		if value, _ := fields[t.Name].(float64); value != 0 {
			r.Terms[t.Name] = value
		}
	}
	return nil
}
