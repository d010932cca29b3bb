package mixture

import "gonum.org/v1/gonum/floats"

// rows are the prepared rows of a table: what the sampler sees.
type rows struct {
	n       int
	columns [][]float64 // [D][n], scaled; a missing cell holds its present draw
	codes   [][]int32   // [Q][n], −1 where missing
	first   []int       // [Q+1], where the levels of a variable begin among all levels
	gaps    []gap       // rows with missing cells, rising
	gapOf   []int32     // [n], index into gaps, −1 without; nil if no cell is missing
	known   knowledge
}

// gap is a row with missing cells.
type gap struct {
	row     int
	missing []int // columns, rising
}

func (r *rows) dim() int       { return len(r.columns) }
func (r *rows) variables() int { return len(r.codes) }
func (r *rows) levels() int    { return r.first[len(r.codes)] }

// total is the number of rows, as counted.
func (r *rows) total() float64 {
	if r.known.counts == nil {
		return float64(r.n)
	}
	return floats.Sum(r.known.counts)
}

// ownCells returns rows whose missing cells can be drawn without changing those of r.
func (r *rows) ownCells() *rows {
	if len(r.gaps) == 0 {
		return r
	}
	own := *r
	own.columns = make([][]float64, r.dim())
	for d, column := range r.columns {
		own.columns[d] = append([]float64{}, column...)
	}
	return &own
}
