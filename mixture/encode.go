package mixture

import "math"

// encode turns a table into the sampler's rows. Rounded columns get noise of one step where noise is set, the same for
// all chains: on the lines of a lattice Gaussians would collapse.
func (e *encoder) encode(t Table, noise bool) *rows {
	t = e.known(t)
	r := &rows{n: t.Rows, first: []int{0}}
	for i := range e.numbers {
		r.columns = append(r.columns, e.numbers[i].encode(t, noise))
	}
	for _, variable := range e.indicators {
		r.addCategory(encodeIndicators(t, variable), max(len(variable), 2))
	}
	for q, levels := range e.categories {
		r.addCategory(t.Categories[q].Codes, levels)
	}
	r.listGaps()
	if e.projection != nil { // a gap has a column's median
		r.columns, r.gaps, r.gapOf = e.projection.apply(r.columns), nil, nil
	}
	return r
}

func (n *number) encode(t Table, noise bool) []float64 {
	column := n.numbersOf(t)
	if noise {
		column = n.jittered(t)
	}
	for i, x := range column {
		column[i] = (n.transform(x) - n.centre) / n.scale
	}
	return column
}

// jittered returns the numbers with noise.
func (n *number) jittered(t Table) []float64 {
	column := n.numbersOf(t)
	rng := newRandom(uint64(n.column), 0x6e6f697365)
	for i := range column {
		column[i] += (rng.Float64() - 0.5) * n.noise
	}
	return column
}

func (r *rows) addCategory(codes []int32, levels int) {
	if levels == 0 {
		return
	}
	bounded := make([]int32, len(codes))
	for i, code := range codes {
		bounded[i] = code
		if int(code) >= levels { // of a table to predict
			bounded[i] = -1
		}
	}
	r.codes = append(r.codes, bounded)
	r.first = append(r.first, r.first[len(r.first)-1]+levels)
}

// encodeIndicators returns 0 and 1 of one column of two values, or which of several is on; −1 for a gap and a value
// that was not seen.
func encodeIndicators(t Table, variable []indicator) []int32 {
	codes := make([]int32, t.Rows)
	for i := range codes {
		codes[i] = -1
	}
	for k, c := range variable {
		for i, x := range t.column(c.column) {
			switch {
			case x == c.on && len(variable) == 1:
				codes[i] = 1
			case x == c.on:
				codes[i] = int32(k)
			case (x == c.off || c.rest && !math.IsNaN(x)) && len(variable) == 1:
				codes[i] = 0
			}
		}
	}
	return codes
}

// listGaps finds the missing cells and gives them a first value.
func (r *rows) listGaps() {
	for i := range r.n {
		var missing []int
		for d, column := range r.columns {
			if math.IsNaN(column[i]) {
				missing = append(missing, d)
				column[i] = 0
			}
		}
		if len(missing) == 0 {
			continue
		}
		if r.gapOf == nil {
			r.gapOf = make([]int32, r.n)
			for j := range r.gapOf {
				r.gapOf[j] = -1
			}
		}
		r.gapOf[i] = int32(len(r.gaps))
		r.gaps = append(r.gaps, gap{i, missing})
	}
}
