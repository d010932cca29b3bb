package mixture

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gfncp/gfncp/mixture/em"
)

// A unit (knowledge) is a set of rows that share a label; some units must be apart. Here are the updates of a chain
// that knows units. Another chain knows no units, and finds those that the table contradicts.

// occupy sets the labels to the current clusters and counts their units.
func (c *chain) occupy() {
	clear(c.occupied)
	for k, cluster := range c.clusters {
		c.occupied[k] = len(c.leading(cluster.members))
		for _, row := range cluster.members {
			c.labels[row] = int32(k)
		}
	}
}

// moveUnits counts units as moved to another component. It returns false and does nothing if too few clusters would be
// left.
func (c *chain) moveUnits(from, to int32, units int) bool {
	c.occupied[from] -= units
	c.occupied[to] += units
	if c.occupied[from] > 0 && c.occupied[to] > 0 {
		return true
	}
	inUse := 0
	for _, units := range c.occupied {
		inUse += min(units, 1)
	}
	if inUse >= c.least {
		return true
	}
	c.occupied[from] += units
	c.occupied[to] -= units
	return false
}

func (c *chain) logsOf(u int32) []float64 {
	return c.unitLogs[int(u)*len(c.pool):][:c.number]
}

func (c *chain) labelOf(u int32) int32 { return c.labels[c.known.units[u].rows[0]] }

// drawUnits draws the label of each unit given the labels of the others. A unit cannot have the label of one that must
// be apart from it.
func (c *chain) drawUnits() {
	units, logs := c.known.units, c.logs[:c.number]
	for u := range units {
		copy(logs, c.logsOf(int32(u)))
		for _, other := range units[u].apart {
			logs[c.labelOf(other)] = math.Inf(-1)
		}
		units[u].set(c.labels, c.drawLabel(logs, c.labelOf(int32(u))))
	}
	for u := range units {
		if len(units[u].apart) > 0 {
			c.tryKempe(int32(u))
		}
	}
	for u := range units {
		for _, i := range units[u].rows {
			to := &c.components[c.labels[i]]
			to.Distances(c.rows.Columns, int(i), c.own[i:i+1])
			to.Join(c.rows, c.tails[c.tail], int(i), c.own[i:i+1], c.logs[:1])
		}
	}
}

// tryKempe proposes to exchange two labels, that of unit u and a random one, on a Kempe chain: the units with these
// labels that are linked to u by pairs that must be apart. All pairs stay apart, and the way back is as likely.
func (c *chain) tryKempe(u int32) {
	if c.number < 2 {
		return
	}
	known := c.known
	a, b := c.labelOf(u), int32(c.rng.IntN(c.number-1))
	if b >= a {
		b++
	}
	c.moving, c.moves[u] = append(c.moving[:0], u), true
	ratio, toA := 0.0, 0
	for at := 0; at < len(c.moving); at++ {
		unit, logs := &known.units[c.moving[at]], c.logsOf(c.moving[at])
		if c.labelOf(c.moving[at]) == a {
			ratio, toA = ratio+logs[b]-logs[a], toA-1
		} else {
			ratio, toA = ratio+logs[a]-logs[b], toA+1
		}
		for _, other := range unit.apart {
			if label := c.labelOf(other); !c.moves[other] && (label == a || label == b) {
				c.moving, c.moves[other] = append(c.moving, other), true
			}
		}
	}
	accept := c.rng.LogUniform() < ratio && c.moveUnits(b, a, toA)
	for _, moved := range c.moving {
		c.moves[moved] = false
		if accept {
			known.units[moved].set(c.labels, a+b-c.labelOf(moved))
		}
	}
}

// disputed returns the rows, ascending, whose place in a unit the table alone contradicts: they are outvoted in most
// draws of a chain that knows no units, which starts from the answer's labels [n]. It returns no rows if ctx ended.
func (o Options) disputed(
	ctx context.Context, r *em.Rows, known *knowledge, labels []int32,
) (rows []int, err error) {
	const most = 0.8 // of the draws
	o.Given, o.Together, o.Apart = nil, nil, nil
	free, err := o.know(r.N)
	if err != nil {
		return nil, err
	}
	c := newChain(r, &free, labels, gaussian, em.NewRandom(o.Seed, 0x676976656e))
	draws, against := 0.0, make([]float64, r.N)
	c.shortRun(ctx, func() {
		draws++
		for _, i := range c.outvoted(known) {
			against[i]++
		}
	})
	for i, times := range against {
		if times > most*draws && ctx.Err() == nil {
			rows = append(rows, i)
		}
	}
	return rows, nil
}

// outvoted returns the rows that are not with most rows of their unit, or are with as many rows of a unit that must be
// apart.
func (c *chain) outvoted(known *knowledge) (rows []int32) {
	type place struct{ unit, cluster int32 }
	votes := map[place]int{} // rows
	for u, unit := range known.units {
		for _, i := range unit.rows {
			votes[place{int32(u), c.labels[i]}]++
		}
	}
	for u, unit := range known.units {
		most := slices.MaxFunc(unit.rows, func(i, j int32) int {
			return cmp.Compare(votes[place{int32(u), c.labels[i]}], votes[place{int32(u), c.labels[j]}])
		})
		for _, i := range unit.rows {
			k := c.labels[i]
			if k != c.labels[most] || slices.ContainsFunc(unit.apart, func(other int32) bool {
				return votes[place{other, k}] >= votes[place{int32(u), k}]
			}) {
				rows = append(rows, i)
			}
		}
	}
	return rows
}
