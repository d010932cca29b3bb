package mixture

// rows are the prepared rows of a table: what the sampler sees.
type rows struct {
	n       int
	columns [][]float64 // [D][n], scaled; a missing cell holds its present draw
	codes   [][]int32   // [Q][n], −1 where missing
	first   []int       // [Q+1], where the levels of a variable begin among all levels
	gaps    []gap       // rows with missing cells, rising
	gapOf   []int32     // [n], index into gaps, −1 without; nil if no cell is missing
	known   *knowledge  // nil without
}

// gap is a row with missing cells.
type gap struct {
	row     int
	missing []int // columns, rising
}

func (r *rows) dim() int       { return len(r.columns) }
func (r *rows) variables() int { return len(r.codes) }
func (r *rows) levels() int    { return r.first[len(r.codes)] }

// count is how many rows row i stands for.
func (r *rows) count(i int32) float64 {
	if r.known == nil {
		return 1
	}
	return r.known.counts[i]
}

// size is the number of members, as counted.
func (r *rows) size(members []int32) float64 {
	if r.known == nil {
		return float64(len(members))
	}
	size := 0.0
	for _, row := range members {
		size += r.known.counts[row]
	}
	return size
}

// total is the number of rows, as counted.
func (r *rows) total() float64 {
	if r.known == nil {
		return float64(r.n)
	}
	return r.known.total
}

// leads tells whether row i is the first of the rows that are together with it.
func (r *rows) leads(i int32) bool { return r.known == nil || r.known.leader[i] == i }

// units counts the members that are not together with one before them.
func (r *rows) units(members []int32) (units int) {
	if r.known == nil {
		return len(members)
	}
	for _, row := range members {
		if r.leads(row) {
			units++
		}
	}
	return units
}

// place finds the nth of the members that lead.
func (r *rows) place(members []int32, nth int) int {
	if r.known == nil {
		return nth
	}
	for at, row := range members {
		if !r.leads(row) {
			continue
		}
		if nth == 0 {
			return at
		}
		nth--
	}
	return -1
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
