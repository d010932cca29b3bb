// Package table holds results with the paper's numbers (Table, Cell, Value, Provenance) and renders them: for a
// terminal, as Markdown, LaTeX and JSON. It computes nothing but the difference of two means. The same table gives
// the same bytes; times enter only through Provenance.
package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Value is a mean with its spread over seeds.
type Value struct {
	Mean float64  `json:"mean"` // NaN means unknown
	Std  *float64 `json:"std"`  // standard deviation over seeds, or as Table.Spread says; nil means not known
	N    int      `json:"n"`    // number of seeds; 0 for the paper, which does not give it for each cell
}

// MeanOf returns the mean of values of several seeds, with their sample standard deviation if there are two at least.
func MeanOf(values []float64) *Value {
	mean, std := stat.MeanStdDev(values, nil)
	v := &Value{Mean: mean, N: len(values)}
	if len(values) > 1 {
		v.Std = &std
	}
	return v
}

// Cell is one number of a table: the score of one model on one data set, in the paper and here.
type Cell struct {
	Data   string `json:"data"` // for example "MoG", "NMI" and "GFNCP"
	Metric string `json:"metric"`
	Model  string `json:"model"`

	Paper   *Value   `json:"paper"`      // nil: the paper has no such number
	Ours    *Value   `json:"ours"`       // nil: not computed; Note may say why
	Derived *float64 `json:"difference"` // set only by JSON: Difference, if it is known

	// Note is shown beside the value, or in its place when Ours is nil; for example "not trained", "2 of 3 seeds".
	Note string `json:"note"`
	// Incomparable: ours is measured on other data than the paper's number, so no difference is formed.
	Incomparable bool `json:"incomparable,omitzero"`

	Scale     string   `json:"scale"`              // "smoke", "small" or "paper"
	Weights   []string `json:"weights,omitempty"`  // SHA-256 of the weights of each seed, as gfncp describe prints it
	Steps     int      `json:"steps"`              // training steps a seed; 0 means not known
	SetsSeen  int      `json:"sets_seen,omitzero"` // sets of the last training, a seed
	Seconds   float64  `json:"seconds"`            // training seconds a seed, mean over seeds; 0 means not known
	Backend   string   `json:"backend"`            // it computed Ours, for example "go:ops_sequential"
	Seeds     []uint64 `json:"seeds"`              // the seeds behind Ours
	TestSets  int      `json:"test_sets"`          // sets that each seed was judged on; 0 means not known
	Selection string   `json:"selection"`          // how the weights were picked, for example "lowest validation loss"
	Trained   string   `json:"trained,omitempty"`  // how the training differs from the paper's; "" if not at all
	Computed  string   `json:"computed,omitempty"` // day and commit of a number of ours that an earlier table had
}

// Difference returns ours − paper, and false where one is missing or NaN, both are infinite or they do not compare.
func (c *Cell) Difference() (float64, bool) {
	if c.Paper == nil || c.Ours == nil || c.Incomparable {
		return 0, false
	}
	d := c.Ours.Mean - c.Paper.Mean
	return d, !math.IsNaN(d)
}

// Provenance says where and when a table was made. Empty fields are left out of every rendering.
type Provenance struct {
	Created string `json:"created"` // when, as the caller writes it (RFC 3339 by habit)
	Commit  string `json:"commit"`  // version of the source
	Machine string `json:"machine"` // processor, cores, accelerator
}

// Table is a result table with the paper's numbers. All renderings order cells by Data, Metric and Model, each by its
// first place in Cells; a model that appears late comes after the model that it follows there.
type Table struct {
	ID         string     `json:"id"`               // file stem and key, for example "table3"
	Title      string     `json:"title"`            // one line
	Caption    string     `json:"caption"`          // a sentence or two; may be empty
	Spread     string     `json:"spread,omitempty"` // meaning of Value.Std; "": the standard deviation over seeds
	Provenance Provenance `json:"provenance"`
	Cells      []Cell     `json:"cells"`
	Footnotes  []string   `json:"footnotes"` // general remarks, printed below the table
	Figures    []Figure   `json:"figures"`
}

// Note adds footnotes: the paragraphs of a text, whatever its line breaks.
func (t *Table) Note(format string, args ...any) {
	for paragraph := range strings.SplitSeq(fmt.Sprintf(format, args...), "\n\n") {
		t.Footnotes = append(t.Footnotes, strings.Join(strings.Fields(paragraph), " "))
	}
}

// Lacks returns the number of cells of t without a number that an earlier table gives.
func (t *Table) Lacks(earlier *Table) (count int) {
	for _, c := range t.Cells {
		same := func(e Cell) bool { return e.Data == c.Data && e.Metric == c.Metric && e.Model == c.Model }
		if i := slices.IndexFunc(earlier.Cells, same); c.Ours == nil && i >= 0 && earlier.Cells[i].Ours != nil {
			count++
		}
	}
	return count
}

// Check returns the first fault of t: an ID or a figure's name that is no file stem, an incomplete cell, or a figure
// or a cell given twice.
func (t *Table) Check() error {
	if t.ID == "" || strings.HasPrefix(t.ID, ".") || strings.ContainsAny(t.ID, "/\\:\x00") {
		return usererr.New("give an id such as table3", "table id %q cannot name a file", t.ID)
	}
	names := map[string]bool{}
	for _, f := range t.Figures {
		if strings.ContainsAny(f.Name, "/\\:. \x00") || names[f.Name] {
			return usererr.New("give each figure a name of its own, such as mnist",
				"figure name %q of table %q is not usable", f.Name, t.ID)
		}
		names[f.Name] = true
	}
	seen := make(map[[3]string]bool, len(t.Cells))
	for i := range t.Cells {
		c := &t.Cells[i]
		if c.Data == "" || c.Model == "" || c.Metric == "" {
			return usererr.New("name its data, model and metric", "cell %d of table %q is incomplete", i, t.ID)
		}
		key := [3]string{c.Data, c.Metric, c.Model}
		if seen[key] {
			return usererr.New("keep one of them", "table %q has the cell %s %s %s twice",
				t.ID, c.Data, c.Metric, c.Model)
		}
		seen[key] = true
	}
	return nil
}

// Ordered returns the cells in reading order: by data set, metric and model, each where it comes first.
func (t *Table) Ordered() []Cell {
	cells := slices.Clone(t.Cells)
	for range 3 { // metrics have their places once data sets are in order, and models after metrics
		inOrder(cells)
	}
	return cells
}

// inOrder sorts cells by the places in which their data sets, metrics and models come first.
func inOrder(cells []Cell) {
	var data, metrics []string
	for _, c := range cells {
		data, metrics = text.AppendNew(data, c.Data), text.AppendNew(metrics, c.Metric)
	}
	models := modelsOf(cells)
	place := func(c Cell) []int {
		return []int{slices.Index(data, c.Data), slices.Index(metrics, c.Metric), slices.Index(models, c.Model)}
	}
	slices.SortStableFunc(cells, func(a, b Cell) int { return slices.Compare(place(a), place(b)) })
}

// modelsOf lists the models of cells as they first appear; a late one comes after its neighbour in its data set.
func modelsOf(cells []Cell) (models []string) {
	for i, c := range cells {
		if slices.Contains(models, c.Model) {
			continue
		}
		at := len(models)
		if i > 0 && cells[i-1].Data == c.Data {
			at = 1 + slices.Index(models, cells[i-1].Model)
		}
		models = slices.Insert(models, at, c.Model)
	}
	return models
}
