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

// outvoted returns the rows with a label that are not with most rows of their label, or are with more rows of another.
func (c *chain) outvoted(given []int32) (rows []int32) {
	votes := make([]map[int32]int, len(c.clusters)) // of each cluster: its rows by label
	home := map[int32]int{}                         // the cluster with most rows of a label
	for k, cluster := range c.clusters {
		votes[k] = map[int32]int{}
		for _, i := range cluster.members {
			votes[k][given[i]]++
		}
		delete(votes[k], -1)
		for label, count := range votes[k] {
			if at, known := home[label]; !known || count > votes[at][label] {
				home[label] = k
			}
		}
	}
	for k, cluster := range c.clusters {
		largest := 0
		for _, count := range votes[k] {
			largest = max(largest, count)
		}
		for _, i := range cluster.members {
			if label := given[i]; label >= 0 && (home[label] != k || votes[k][label] < largest) {
				rows = append(rows, i)
			}
		}
	}
	return rows
}
