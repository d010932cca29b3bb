package mixture

import "gonum.org/v1/gonum/floats"

// drawLabels draws the labels of all rows in one block given the parameters of all components, u integrated out. What
// must be together, or apart, is drawn after the other rows, each unit given the labels of the others.
func (c *chain) drawLabels() {
	c.logDensity = 0
	known := &c.rows.known
	clear(c.unitLogs)
	c.occupy()
	for lo := 0; lo < c.rows.n; lo += block {
		hi := min(lo+block, c.rows.n)
		for k := range c.number {
			c.components[k].join(c.rows, c.tails[c.tail], lo, c.distances[k][:hi-lo], c.blockLogs[k][:hi-lo])
		}
		for i := lo; i < hi; i++ {
			logs := c.logs[:c.number]
			for k := range logs {
				logs[k] = c.blockLogs[k][i-lo]
			}
			if u := known.unit(int32(i)); u >= 0 {
				floats.AddScaled(c.logsOf(u), known.count(int32(i)), logs)
				continue
			}
			if known.counts != nil {
				floats.Scale(known.counts[i], logs)
			}
			c.labels[i] = c.drawLabel(logs, c.labels[i])
			c.own[i] = c.distances[c.labels[i]][i-lo]
		}
	}
	c.drawUnits()
}

// join writes the squared distances of rows from lo on, by their present cells, and their log joint probabilities with
// the component. laws are the t laws by the number of present cells.
func (to *component) join(r *rows, laws []tail, lo int, distances, logs []float64) {
	to.distances(r.columns, lo, distances)
	full := &laws[r.dim()]
	base := to.logWeight + to.halfLog
	for i, d := range distances {
		logs[i] = base + full.log(d)
	}
	for q, codes := range r.codes {
		to.addLevels(r.first[q], codes[lo:lo+len(logs)], logs)
	}
	if r.gapOf == nil {
		return
	}
	for i, d := range distances {
		if at := r.gapOf[lo+i]; at >= 0 {
			gap := &r.gaps[at]
			present, halfLog := to.observed(r, gap)
			logs[i] += halfLog - to.halfLog + laws[r.dim()-len(gap.missing)].log(present) - full.log(d)
			distances[i] = present
		}
	}
}

// addLevels adds the log probabilities of a variable's codes; its levels begin at first.
func (to *component) addLevels(first int, codes []int32, logs []float64) {
	for i, code := range codes {
		if code >= 0 {
			logs[i] += to.logLevel[first+int(code)]
		}
	}
}

// drawLabel draws a component in place of now with probabilities exp(logs), which it destroys. A draw that would leave
// too few clusters is refused.
func (c *chain) drawLabel(logs []float64, now int32) int32 {
	to, total := c.rng.pickOf(logs)
	c.logDensity += total
	if c.least > 1 && !c.moveUnits(now, int32(to), 1) {
		return now
	}
	return int32(to)
}
