package clustering

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/mixture/fit"
	"github.com/gfncp/gfncp/mixture/tables"
)

// TableFit is a clustering of a table, with everything that Predict needs.
type TableFit struct {
	Columns  []TableColumn `json:"columns"`  // numbers and times first, then categories
	Clusters []int32       `json:"clusters"` // the label of each cluster of Fit; None for outlying rows
	Rows     int           `json:"rows"`     // number of clustered rows
	Fit      *fit.Mixture  `json:"fit"`
}

// TableColumn is a column of a clustered table.
type TableColumn struct {
	Name   string       `json:"name"`
	Kind   tabular.Kind `json:"kind"`
	Levels []string     `json:"levels,omitempty"` // of a category, sorted
	First  *float64     `json:"west,omitempty"`   // of longitudes, hours …: a turn is added to values below it
	Turn   float64      `json:"turn,omitempty"`   // in units of the column; 0 means 360
}

// newTableFit returns a TableFit with the columns of a table, without clusters yet.
func newTableFit(t *tabular.Table) *TableFit {
	f := &TableFit{}
	var categories []TableColumn
	for _, c := range t.Columns {
		column := TableColumn{Name: c.Name, Kind: c.Kind}
		if c.Kind == tabular.Category {
			column.Levels = slices.Sorted(slices.Values(c.Levels))
			categories = append(categories, column)
		} else {
			column.First, column.Turn = circleOf(c)
			f.Columns = append(f.Columns, column)
		}
	}
	f.Columns = append(f.Columns, categories...)
	return f
}

// numbers returns how many columns hold numbers or times: these come first.
func (f *TableFit) numbers() int {
	if at := slices.IndexFunc(f.Columns, func(c TableColumn) bool { return c.Kind == tabular.Category }); at >= 0 {
		return at
	}
	return len(f.Columns)
}

// largestNumber bounds the numbers of a table: larger ones cannot be plotted, and their squares may overflow float64.
const largestNumber = math.MaxFloat32

// rows returns the columns of a table, found by their names, as package mixture reads them. Unknown levels are missing;
// the notes name them.
func (f *TableFit) rows(t *tabular.Table) (rows tables.Table, notes []string, err error) {
	if err := t.CheckNames(); err != nil {
		return rows, nil, err
	}
	rows.Rows = t.Len()
	width := f.numbers()
	rows.Numbers = make([]float64, rows.Rows*width)
	for j, known := range f.Columns {
		column, err := t.Find(known.Name, known.Kind, j)
		if err != nil {
			return rows, nil, err
		}
		values, unknown := column.Among(known.Levels)
		notes = append(notes, unknown...)
		codes := make([]int32, rows.Rows)
		for i, v := range values {
			switch {
			case known.Kind == tabular.Category && math.IsNaN(v):
				codes[i] = -1
			case known.Kind == tabular.Category:
				codes[i] = int32(v)
			case math.Abs(v) > largestNumber:
				return rows, nil, t.Fault(i, "mend it or leave it empty", "column %s: %g is no number to cluster",
					text.Shorten(known.Name, 41), v)
			default:
				if known.First != nil && v < *known.First {
					v += cmp.Or(known.Turn, 360)
				}
				rows.Numbers[i*width+j] = v
			}
		}
		if known.Kind == tabular.Category {
			rows.Categories = append(rows.Categories, tables.Category{Codes: codes, Levels: len(known.Levels)})
		}
	}
	return rows, notes, nil
}

// Check returns an error if parts do not fit together.
func (f *TableFit) Check() error {
	fits := f != nil && f.Fit != nil && len(f.Columns) > 0 && len(f.Clusters) == len(f.Fit.Clusters)
	if fits {
		numbers := f.numbers()
		fits = numbers == len(f.Fit.Ranges) && len(f.Columns)-numbers == len(f.Fit.Levels) &&
			slices.Min(f.Clusters) >= None && f.k() <= len(f.Clusters)
	}
	if !fits {
		return errors.New("the columns, labels and clusters of a table do not fit together")
	}
	return nil
}

// Encoding returns the names and kinds of the columns, for reading a file of further rows.
func (f *TableFit) Encoding() *tabular.Encoding {
	e := &tabular.Encoding{}
	for _, c := range f.Columns {
		e.Columns = append(e.Columns, tabular.Code{Name: c.Name, Kind: c.Kind, Levels: c.Levels})
	}
	return e
}

// k returns the number of clusters. Clusters of outlying rows do not count.
func (f *TableFit) k() int { return int(slices.Max(f.Clusters)) + 1 }

// Predict returns the probable clusters of the rows of a table, by the mixture that was fitted to the labels. A row far
// from all clusters, or in a cluster of outlying rows, has the label None. The table has the columns of the clustering,
// in any order. Warnings name columns with unknown levels, or with values outside the range of the clustering.
func (f *TableFit) Predict(t *tabular.Table) (*Prediction, error) {
	if err := f.Check(); err != nil {
		return nil, fmt.Errorf("predict: %w", err)
	}
	rows, notes, err := f.rows(t)
	if err != nil {
		return nil, err
	}
	p := f.predict(rows)
	p.Warnings = slices.Insert(p.Warnings, 0, notes...)
	return p, nil
}

// predict is Predict for rows that f.rows has read.
func (f *TableFit) predict(rows tables.Table) *Prediction {
	found, k, clusters := f.Fit.Predict(rows), f.k(), len(f.Clusters)
	p := &Prediction{
		SchemaVersion: SchemaVersion, Model: MixtureModel, K: k, Labels: make([]int32, rows.Rows), Warnings: []string{},
	}
	beyond := make([]int, len(f.Columns))
	for i, label := range found.Labels {
		row := make([]float64, k+1)
		if label >= 0 {
			row = folded(found.Probs[i*clusters:(i+1)*clusters], f.Clusters, k)
			label = f.Clusters[label]
		} else {
			row[k] = 1
		}
		p.Labels[i] = label
		p.Probabilities, p.NewCluster = append(p.Probabilities, row), append(p.NewCluster, row[k])
		for _, column := range found.Beyond[i] {
			beyond[column]++
		}
	}
	for j, count := range beyond {
		if count > 0 {
			p.Warnings = append(p.Warnings, fmt.Sprintf("column %s: %s out of the range of the clustering",
				f.Columns[j].Name, text.Count(count, "value is", "values are")))
		}
	}
	return p
}
