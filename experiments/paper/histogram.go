package paper

import _ "embed"

// The paper prints no other number about SDPP, and its empirical CDFs are not in its source.
//
//go:embed sdpp_histograms.json
var histogramsJSON []byte

var histograms = parsed[map[string]map[string]map[string]*Histogram](histogramsJSON)

// Histogram is one of SDPP: Counts [M] of sets in bins with rising Edges [M+1].
type Histogram struct {
	Edges  []float64 `json:"edges"`
	Counts []float64 `json:"counts"`
}

// Bars returns the paper's histogram of a model on a data set in a figure such as "figure1", or nil if there is none.
func Bars(figure, data, model string) *Histogram { return histograms()[figure][data][model] }

// Sets is the number of sets in all bins.
func (h *Histogram) Sets() (total float64) {
	for _, count := range h.Counts {
		total += count
	}
	return total
}

// Mean takes every set for the middle of its bin.
func (h *Histogram) Mean() (mean float64) {
	for i, count := range h.Counts {
		mean += count / h.Sets() * (h.Edges[i] + h.Edges[i+1]) / 2
	}
	return mean
}

// Below is the share of sets below a value, with the sets of a bin spread evenly over it.
func (h *Histogram) Below(value float64) (share float64) {
	for i, count := range h.Counts {
		inside := (value - h.Edges[i]) / (h.Edges[i+1] - h.Edges[i])
		share += count / h.Sets() * min(max(inside, 0), 1)
	}
	return share
}

// Median is where half of the sets are below, with the sets of a bin spread evenly over it.
func (h *Histogram) Median() float64 {
	half := h.Sets() / 2
	for i, count := range h.Counts {
		if count > 0 && half <= count {
			return h.Edges[i] + half/count*(h.Edges[i+1]-h.Edges[i])
		}
		half -= count
	}
	return h.Edges[len(h.Counts)]
}
