package mixture

import "context"

// disputed returns the rows, ascending, whose given label the table alone contradicts. It runs a chain without given
// labels from the answer's labels [n]. In most draws, the cluster of such a row has more rows of another given label.
// It returns no rows if ctx ended.
func (o Options) disputed(ctx context.Context, r *rows, labels []int32) (rows []int, err error) {
	const most = 0.8 // of the draws
	given := o.Given
	o.Given = nil
	free := *r
	if free.known, err = o.know(r.n); err != nil {
		return nil, err
	}
	c := newChain(&free, labels, gaussian, newRandom(o.Seed, 0x676976656e))
	draws, against := 0.0, make([]float64, r.n)
	c.shortRun(ctx, func() {
		draws++
		for _, i := range c.outvoted(given) {
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

// outvoted returns the rows with a label in clusters that have more rows of some other label.
func (c *chain) outvoted(given []int32) (rows []int32) {
	for _, cluster := range c.clusters {
		votes := map[int32]int{}
		for _, i := range cluster.members {
			if given[i] >= 0 {
				votes[given[i]]++
			}
		}
		largest := 0
		for _, count := range votes {
			largest = max(largest, count)
		}
		for _, i := range cluster.members {
			if given[i] >= 0 && votes[given[i]] < largest {
				rows = append(rows, i)
			}
		}
	}
	return rows
}
