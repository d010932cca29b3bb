package experiments

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/train"
)

// propertyTest is a model on which the properties of table 1 are measured.
type propertyTest struct {
	ctx       context.Context
	lab       *Lab
	model     *train.Model
	clusterer peers.Clusterer
	from      origin
	sets      int
	fixedK    int
}

// propertySets is the number of sets behind a property.
func (s Scale) propertySets() int {
	if s == Smoke {
		return 4
	}
	return 100
}

func (l *Lab) propertyTest(ctx context.Context, m method) (*propertyTest, error) {
	model, from, err := l.weights(ctx, tableData[0], m, m.fixedK())
	if err != nil {
		return nil, err
	}
	p := &propertyTest{ctx: ctx, lab: l, model: model, from: from, sets: l.Scale.propertySets(), fixedK: m.fixedK()}
	p.clusterer, err = model.Clusterer(l.Backend)
	return p, err
}

// each visits the sets of a test on mixtures.
func (p *propertyTest) each(points, fixedK, sets int, visit func(set int, x []float32, labels []int32) error) error {
	c := data.DefaultMoG().HeldOut(2, points, fixedK)
	source, err := data.NewMoG(c)
	if err != nil {
		return err
	}
	for set := 0; set < sets; {
		batch, err := source.Batch(testSeed, set/c.Batch)
		if err != nil {
			return err
		}
		for b := 0; b < batch.B && set < sets; b, set = b+1, set+1 {
			if p.ctx.Err() != nil {
				return train.ErrInterrupted
			}
			x, labels := batch.Set(b)
			if err := visit(set, x, labels); err != nil {
				return fmt.Errorf("set %d: %w", set, err)
			}
		}
	}
	return nil
}

const invarianceOrders = 10

// invariance is the share of sets whose point estimate is the same partition in all orders.
func (p *propertyTest) invariance() (float64, error) {
	points := 20
	if p.fixedK > 0 {
		points = 60
	}
	same := 0
	err := p.each(points, p.fixedK, p.sets, func(set int, x []float32, _ []int32) error {
		d := len(x) / points
		var all []float32
		var orders [][]int
		for i := range invarianceOrders {
			order := data.Rand(testSeed, fmt.Sprintf("table1/order/%d", i), set).Perm(points)
			orders = append(orders, order)
			for _, at := range order {
				all = append(all, x[at*d:(at+1)*d]...)
			}
		}
		found, err := p.clusterer.Cluster(data.Rand(testSeed, "table1/cluster", set), all, invarianceOrders, points)
		if err != nil {
			return err
		}
		if oneClustering(orders, found) {
			same++
		}
		return nil
	})
	return float64(same) / float64(p.sets), err
}

// oneClustering reports whether labels found in several orders of a set are one partition of it.
func oneClustering(orders [][]int, found [][]int32) bool {
	var first []int32
	for i, order := range orders {
		labels := make([]int32, len(order))
		for step, at := range order {
			labels[at] = found[i][step]
		}
		labels, _ = metrics.Canonical(labels)
		if first == nil {
			first = labels
		} else if !slices.Equal(first, labels) {
			return false
		}
	}
	return true
}

// components is the mean number of clusters found in sets of 40.
func (p *propertyTest) components() (float64, error) {
	total := 0
	sets := min(p.sets, 20)
	err := p.each(200, 40, sets, func(set int, x []float32, _ []int32) error {
		found, err := p.clusterer.Cluster(data.Rand(testSeed, "table1/components", set), x, 1, 200)
		if err != nil {
			return err
		}
		_, k := metrics.Canonical(found[0])
		total += k
		return nil
	})
	return float64(total) / float64(sets), err
}

// supervision is the relative change of the model's own loss when the labels of a batch are mixed up.
func (p *propertyTest) supervision() (float64, error) {
	trainer, err := train.Open(p.lab.Backend, sources.Source, p.model.Config, p.model.Params)
	if err != nil {
		return 0, err
	}
	where := p.model.Config.Data.HeldOut(2, 60, p.fixedK)
	source, err := data.NewMoG(where)
	if err != nil {
		return 0, err
	}
	batch, err := source.Batch(testSeed, 0)
	if err != nil {
		return 0, err
	}
	loss, err := trainer.Loss(batch)
	if err != nil {
		return 0, err
	}
	mixed, err := trainer.Loss(mixedUp(batch))
	return math.Abs(mixed-loss) / max(math.Abs(loss), 1e-9), err
}

// mixedUp returns the batch with the labels of each set in random order.
func mixedUp(batch *data.Batch) *data.Batch {
	mixed := *batch
	mixed.Labels = nil
	for b := range batch.B {
		_, labels := batch.Set(b)
		shuffled := slices.Clone(labels)
		data.Rand(testSeed, "table1/mixed", b).Shuffle(len(shuffled), func(i, k int) {
			shuffled[i], shuffled[k] = shuffled[k], shuffled[i]
		})
		shuffled, _ = metrics.Canonical(shuffled)
		mixed.Labels = append(mixed.Labels, shuffled...)
	}
	return &mixed
}

// logProbs returns the log-probabilities of all partitions of a set of n points.
func (p *propertyTest) logProbs(call int, x []float32, n int) ([]float64, error) {
	prober, ok := p.clusterer.(peers.LogProber)
	if !ok {
		return nil, errLacks
	}
	parts, err := posterior.Partitions(n)
	if err != nil {
		return nil, err
	}
	var labels []int32
	for _, part := range parts {
		labels = append(labels, part...)
	}
	return prober.LogProb(data.Rand(testSeed, "table1/probability", call), slices.Repeat(x, len(parts)), labels, len(parts), n)
}

// probability is the largest deviation of Σ p from one over a few sets, or of p between two calls.
func (p *propertyTest) probability() (float64, error) {
	const points, sets = 6, 5
	var worst float64
	err := p.each(points, 0, sets, func(set int, x []float32, _ []int32) error {
		first, err := p.logProbs(2*set, x, points)
		if err != nil {
			return err
		}
		second, err := p.logProbs(2*set+1, x, points)
		if err != nil {
			return err
		}
		var sum float64
		for i := range first {
			a, b := math.Exp(first[i]), math.Exp(second[i])
			sum += a
			worst = max(worst, math.Abs(a-b))
		}
		worst = max(worst, math.Abs(sum-1))
		return nil
	})
	return worst, err
}

// posterior is the mean total variation between a model's samples and its probabilities.
func (p *propertyTest) posterior() (float64, error) {
	const points, sets, samples = 4, 5, 4000
	sampler, ok := p.clusterer.(peers.Sampler)
	if !ok {
		return 0, errLacks
	}
	var total float64
	err := p.each(points, 0, sets, func(set int, x []float32, _ []int32) error {
		logProbs, err := p.logProbs(set, x, points)
		if err != nil {
			return err
		}
		drawn, err := sampler.Sample(data.Rand(testSeed, "table1/samples", set), slices.Repeat(x, samples), samples, points)
		if err != nil {
			return err
		}
		seen, err := posterior.FromSamples(drawn)
		if err != nil {
			return err
		}
		for i, log := range logProbs {
			total += math.Abs(math.Exp(log)-math.Exp(seen.LogProb[i])) / 2
		}
		return nil
	})
	return total / sets, err
}

// paperMarks returns the check marks of the paper's table 1: property, method, 1 or 0; nil where it has a dash.
func paperMarks() (map[string]map[string]*float64, error) {
	var tables struct {
		Table1 struct {
			Rows    map[string][]*bool `json:"rows"`
			Columns []string           `json:"columns"`
		} `json:"table1"`
	}
	if err := json.Unmarshal(paperTables, &tables); err != nil {
		return nil, fmt.Errorf("read the paper's table 1: %w", err)
	}
	marks := map[string]map[string]*float64{}
	for row, cells := range tables.Table1.Rows {
		marks[row] = map[string]*float64{}
		for i, mark := range cells {
			if mark == nil {
				continue
			}
			value := 0.0
			if *mark {
				value = 1
			}
			marks[row][tables.Table1.Columns[i]] = &value
		}
	}
	return marks, nil
}
