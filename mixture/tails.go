package mixture

import "math"

// degrees is the grid of ν; the last stands for Gaussian rows and has half of the prior, the others share the rest.
var degrees = [...]float64{1, 1.5, 2, 3, 4, 6, 8, 12, 20, 40, math.Inf(1)}

const gaussian = len(degrees) - 1

func logDegreesPrior(at int) float64 {
	if at == gaussian {
		return math.Log(0.5)
	}
	return math.Log(0.5 / float64(gaussian))
}

// tail is the t law of a row in dim dimensions, up to the determinant.
type tail struct {
	constant float64
	half     float64 // ½(ν + dim)
	inverse  float64 // 1/ν, 0 for Gaussian rows
}

func newTail(nu float64, dim int) tail {
	d := float64(dim)
	if math.IsInf(nu, 1) {
		return tail{constant: -0.5 * d * math.Log(2*math.Pi)}
	}
	constant := logGammaFunction(0.5*(nu+d)) - logGammaFunction(0.5*nu) - 0.5*d*math.Log(nu*math.Pi)
	return tail{constant, 0.5 * (nu + d), 1 / nu}
}

// log is the log density at a squared distance.
func (t *tail) log(distance float64) float64 {
	if t.inverse == 0 {
		return t.constant - 0.5*distance
	}
	return t.constant - t.half*math.Log(1+distance*t.inverse)
}

// newTails returns the t laws of a ν in 0..dim dimensions: rows with missing cells have fewer.
func newTails(dim int) (all [len(degrees)][]tail) {
	for at, nu := range degrees {
		for d := range dim + 1 {
			all[at] = append(all[at], newTail(nu, d))
		}
	}
	return all
}

// addLogs adds the log densities at distances to sum. Logarithms are taken of products of many factors.
func (t *tail) addLogs(sum float64, distances []float64, members []int32) float64 {
	const large = 1e200
	sum += t.constant * float64(len(members))
	total, product := 0.0, 1.0
	if t.inverse == 0 {
		for _, row := range members {
			total += distances[row]
		}
		return sum - 0.5*total
	}
	for _, row := range members {
		if product *= 1 + distances[row]*t.inverse; product > large {
			total += math.Log(product)
			product = 1
		}
	}
	return sum - t.half*(total+math.Log(product))
}

// drawTail draws ν given labels and parameters, with the scales u integrated out.
func (c *chain) drawTail() {
	var logs [len(degrees)]float64
	for at := range logs {
		logs[at] = logDegreesPrior(at)
		for k, cluster := range c.clusters {
			if c.rows.known != nil && c.rows.known.weighted {
				logs[at] += c.weightedLog(at, k, cluster.members)
				continue
			}
			full := &c.tails[at][c.rows.dim()]
			logs[at] = full.addLogs(logs[at], c.distances[k], cluster.members)
			if c.rows.gapOf == nil {
				continue
			}
			for _, row := range cluster.members {
				if m := c.missingOf(int(row)); m > 0 {
					distance := c.distances[k][row]
					logs[at] += c.tails[at][c.rows.dim()-m].log(distance) - full.log(distance)
				}
			}
		}
	}
	c.tail = c.rng.pick(logs[:])
}

// weightedLog is the log density of members of component k at ν = degrees[at], each to the power of its count.
func (c *chain) weightedLog(at, k int, members []int32) (sum float64) {
	for _, row := range members {
		law := &c.tails[at][c.rows.dim()-c.missingOf(int(row))]
		sum += c.rows.count(row) * law.log(c.distances[k][row])
	}
	return sum
}

// missingOf is the number of a row's missing cells.
func (c *chain) missingOf(row int) int {
	if c.rows.gapOf == nil {
		return 0
	}
	if at := c.rows.gapOf[row]; at >= 0 {
		return len(c.rows.gaps[at].missing)
	}
	return 0
}

// drawRowScales draws u of all rows given their labels and parameters: the sum of all that a row stands for.
func (c *chain) drawRowScales() {
	if c.tail == gaussian {
		for i := range c.scales {
			c.scales[i] = c.rows.count(int32(i))
		}
		return
	}
	nu := degrees[c.tail]
	for i := range c.scales {
		count, dim := c.rows.count(int32(i)), c.rows.dim()-c.missingOf(i)
		if c.scales[i] = 0; count > 0 {
			c.scales[i] = c.rng.gamma(0.5*count*(nu+float64(dim))) / (0.5 * (nu + c.own[i]))
		}
	}
}
