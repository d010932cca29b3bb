package experiments

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
)

// paperSDPP holds the bars of the paper's figures 1 and 5 (AISTATS 2025): figure, data set, model. The paper prints no other number
// about them, and its empirical CDFs are not in its source.
//
//go:embed sdpp_histograms.json
var paperSDPP []byte

// sdppBars is a histogram of SDPP: Counts [M] of sets in bins with rising Edges [M+1].
type sdppBars struct {
	Edges  []float64 `json:"edges"`
	Counts []float64 `json:"counts"`
}

// paperBars returns the paper's histogram in one figure, or nil if there is none.
func paperBars(figure, data, model string) (*sdppBars, error) {
	var figures map[string]map[string]map[string]*sdppBars
	if err := json.Unmarshal(paperSDPP, &figures); err != nil {
		return nil, fmt.Errorf("read the paper's histograms of SDPP: %w", err)
	}
	bars := figures[figure][data][model]
	if bars == nil {
		return nil, nil
	}
	if len(bars.Edges) != len(bars.Counts)+1 || bars.sets() <= 0 || !slices.IsSorted(bars.Edges) {
		return nil, fmt.Errorf("the paper's histogram of SDPP of %s on %s is damaged", model, data)
	}
	return bars, nil
}

// sets is the number of sets in all bins.
func (h *sdppBars) sets() (total float64) {
	for _, count := range h.Counts {
		total += count
	}
	return total
}

// mean takes every set for the middle of its bin.
func (h *sdppBars) mean() (mean float64) {
	for i, count := range h.Counts {
		mean += count / h.sets() * (h.Edges[i] + h.Edges[i+1]) / 2
	}
	return mean
}

// below is the share of sets below a value, with the sets of a bin spread evenly over it.
func (h *sdppBars) below(value float64) (share float64) {
	for i, count := range h.Counts {
		inside := (value - h.Edges[i]) / (h.Edges[i+1] - h.Edges[i])
		share += count / h.sets() * min(max(inside, 0), 1)
	}
	return share
}

// median is where half of the sets are below, with the sets of a bin spread evenly over it.
func (h *sdppBars) median() float64 {
	half := h.sets() / 2
	for i, count := range h.Counts {
		if count > 0 && half <= count {
			return h.Edges[i] + half/count*(h.Edges[i+1]-h.Edges[i])
		}
		half -= count
	}
	return h.Edges[len(h.Counts)]
}
