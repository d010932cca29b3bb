package mixture

// gapRoom is scratch for rows with missing cells.
type gapRoom struct{ delta, inner, pull []float64 }

func newGapRoom(dim int) gapRoom {
	return gapRoom{make([]float64, dim), make([]float64, dim*dim), make([]float64, dim)}
}

func (s *component) fillPrecision() {
	dim := len(s.mean)
	if s.precision == nil {
		s.precision = make([]float64, dim*dim)
	}
	clear(s.precision)
	addProduct(s.precision, 1, s.factor, dim)
}

// at reads the symmetric matrix a.
func at(a []float64, dim, i, j int) float64 { return a[max(i, j)*dim+min(i, j)] }

// observed returns the squared distance of a row by its present cells alone, and log |P| of their law. It leaves the
// factor of the missing cells' precision in inner, and that factor's inverse times Λ_mo·(x_o − μ_o) in pull.
func (r *gapRoom) observed(of *rows, to *component, g *gap) (distance, halfLog float64) {
	dim, m := of.dim(), len(g.missing)
	for d, column := range of.columns {
		r.delta[d] = column[g.row] - to.mean[d]
	}
	for _, d := range g.missing {
		r.delta[d] = 0
	}
	for i, d := range g.missing {
		r.pull[i] = 0
		for e, v := range r.delta {
			r.pull[i] += v * at(to.precision, dim, d, e)
		}
		for j, e := range g.missing[:i+1] {
			r.inner[i*m+j] = at(to.precision, dim, d, e)
		}
	}
	for d, x := range r.delta {
		row := to.precision[d*dim : d*dim+d]
		distance += x * (2*dot(row, r.delta[:d]) + x*to.precision[d*dim+d])
	}
	logDet := cholesky(r.inner[:m*m], r.inner[:m*m], m)
	solveLower(r.inner[:m*m], r.pull[:m])
	distance -= dot(r.pull[:m], r.pull[:m])
	return max(distance, 0), to.halfLog - 0.5*logDet
}

// fillGaps replaces the log probabilities of rows with missing cells by those of their present cells.
func (c *chain) fillGaps(lo, hi, from, to int) {
	if c.rows.gapOf == nil {
		return
	}
	for i := lo; i < hi; i++ {
		at := c.rows.gapOf[i]
		if at < 0 {
			continue
		}
		gap := &c.rows.gaps[at]
		law := &c.tails[c.tail][c.rows.dim()-len(gap.missing)]
		for k := from; k < to; k++ {
			component := &c.components[k]
			distance, halfLog := c.gapRoom.observed(c.rows, component, gap)
			value := component.logWeight + halfLog + law.log(distance)
			for q, codes := range c.rows.codes {
				if code := codes[i]; code >= 0 {
					value += component.logLevel[c.rows.first[q]+int(code)]
				}
			}
			c.blockLogs[k][i-lo] = value
		}
	}
}

// drawCells draws the missing cells given the component of each row with gaps and its 1/√u.
func (r *rows) drawCells(rng random, room *gapRoom, of func(*gap) (*component, float64)) {
	for i := range r.gaps {
		gap, m := &r.gaps[i], len(r.gaps[i].missing)
		to, spread := of(gap)
		room.observed(r, to, gap)
		for j := range m {
			room.pull[j] = spread*rng.NormFloat64() - room.pull[j]
		}
		solveLowerTransposed(room.inner[:m*m], room.pull[:m])
		for j, d := range gap.missing {
			r.columns[d][gap.row] = to.mean[d] + room.pull[j]
		}
	}
}
