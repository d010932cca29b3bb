// Package paper holds the numbers printed in the paper (AISTATS 2025): tables 1 to 6, and the bars of figures 1 and 5.
package paper

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/report/table"
)

//go:embed tables.json
var tablesJSON []byte

// printed is a table of numbers by data set, metric and model. Table 1 has 1 for a check mark and 0 for a cross, by
// property, "holds" and method; a dash is no number.
type printed struct {
	Cells map[string]map[string]map[string]*table.Value
}

var tables = parsed[map[string]printed](tablesJSON)

// parsed decodes an embedded file at the first call. It panics on a fault, which is a bug of the program.
func parsed[V any](text []byte) func() V {
	return sync.OnceValue(func() (v V) {
		if err := json.Unmarshal(text, &v); err != nil {
			panic(fmt.Errorf("read the paper's numbers: %w", err))
		}
		return v
	})
}

// Cell returns the value that the paper prints in a cell of a table such as "table3", or nil if the cell is empty.
func Cell(id, data, metric, model string) *table.Value {
	return tables()[id].Cells[data][metric][model]
}

// The paper prints no other number about SDPP, and its empirical CDFs are not in its source.
//
//go:embed sdpp_histograms.json
var histogramsJSON []byte

var histograms = parsed[map[string]map[string]map[string]*Histogram](histogramsJSON)

// Histogram is a histogram of SDPP: Counts [M] of sets in bins with rising Edges [M+1].
type Histogram struct {
	Edges  []float64 `json:"edges"`
	Counts []float64 `json:"counts"`
}

// Bars returns the paper's histogram of a model on a data set in a figure such as "figure1", or nil.
func Bars(figure, data, model string) *Histogram { return histograms()[figure][data][model] }

// Sets is the number of sets in all bins.
func (h *Histogram) Sets() float64 { return floats.Sum(h.Counts) }

// Mean returns the mean, with every set in the middle of its bin.
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

// Median returns the value with half of the sets below, with the sets of a bin spread evenly over it.
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
