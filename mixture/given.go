package mixture

import "context"

// disputed returns the rows, ascending, whose place in a unit the table alone contradicts: they are outvoted in most
// draws of a chain that knows no units, which starts from the answer's labels [n]. It returns no rows if ctx ended.
func (o Options) disputed(ctx context.Context, r *rows, labels []int32) (rows []int, err error) {
	const most = 0.8 // of the draws
	o.Given, o.Together, o.Apart = nil, nil, nil
	free := *r
	if free.known, err = o.know(r.n); err != nil {
		return nil, err
	}
	c := newChain(&free, labels, gaussian, newRandom(o.Seed, 0x676976656e))
	draws, against := 0.0, make([]float64, r.n)
	c.shortRun(ctx, func() {
		draws++
		for _, i := range c.outvoted(&r.known) {
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

// outvoted returns the rows that are not with most rows of their unit, or are with more rows of a unit that must be
// apart.
func (c *chain) outvoted(known *knowledge) (rows []int32) {
	votes := make([]map[int32]int, len(c.clusters)) // of each cluster: its rows by unit
	home := map[int32]int{}                         // the cluster with most rows of a unit
	for k, cluster := range c.clusters {
		votes[k] = map[int32]int{}
		for _, i := range cluster.members {
			votes[k][known.unit(i)]++
		}
		for u, count := range votes[k] {
			if at, seen := home[u]; !seen || count > votes[at][u] {
				home[u] = k
			}
		}
	}
	for k, cluster := range c.clusters {
		for _, i := range cluster.members {
			u := known.unit(i)
			if u < 0 {
				continue
			}
			out := home[u] != k
			for _, other := range known.units[u].apart {
				out = out || votes[k][other] > votes[k][u]
			}
			if out {
				rows = append(rows, i)
			}
		}
	}
	return rows
}
