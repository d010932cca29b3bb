package mixture

import (
	"context"
	"math"
)

// OrderCheck tells whether rows of a cluster are like the rows before them in the file.
type OrderCheck struct {
	Chance  float64 // of rows in random order to be as much alike
	Ratio   float64 // of von Neumann: mean squared difference of successive rows over the variance; 2 in random order
	Cluster int     // in which neighbours are most alike, or −1
}

// MostOrderChance is the chance at which neighbouring rows are alike.
const MostOrderChance = 0.001

// Alike reports whether neighbouring rows are alike more than chance makes them: the table is a series, or is sorted by
// more than its clusters.
func (o OrderCheck) Alike() bool { return o.Chance <= MostOrderChance }

const (
	orders       = 1000 // that are tried
	enoughOrders = 10   // as much alike, after which no more are tried (Besag & Clifford 1991)
)

var noOrder = OrderCheck{Chance: 1, Ratio: 2, Cluster: -1}

// checkOrder compares the order of the rows within clusters with random ones.
func (c *checker) checkOrder(ctx context.Context, m *em) (OrderCheck, error) {
	var clusters [][]float64 // row by row
	dim, out := m.rows.dim(), noOrder
	own, variance, least := 0.0, 0.0, 0.0
	for k, members := range m.members() {
		if !c.counted[k] || len(members) < 3 {
			continue
		}
		rows, spread := byRow(m.residuals(k, members)), float64(dim*len(members))
		steps := sumOfSteps(rows, dim)
		own, variance = own+steps, variance+spread
		if excess := (steps/spread - 2) * math.Sqrt(float64(len(members))); excess < least {
			out.Cluster, least = k, excess
		}
		clusters = append(clusters, rows)
	}
	if variance == 0 {
		return noOrder, nil
	}
	out.Ratio = own / variance
	alike := 0
	for tried := 1; tried <= orders; tried++ {
		if err := ctx.Err(); err != nil {
			return OrderCheck{}, err
		}
		sum := 0.0
		for _, rows := range clusters {
			c.rng.Shuffle(len(rows)/dim, func(i, j int) {
				for d := range dim {
					rows[i*dim+d], rows[j*dim+d] = rows[j*dim+d], rows[i*dim+d]
				}
			})
			sum += sumOfSteps(rows, dim)
		}
		if sum <= own {
			alike++
		}
		if alike == enoughOrders {
			out.Chance = float64(alike) / float64(tried)
			return out, nil
		}
	}
	out.Chance = float64(1+alike) / (orders + 1)
	return out, nil
}

// byRow returns columns [D][n] row by row.
func byRow(columns [][]float64) []float64 {
	dim := len(columns)
	rows := make([]float64, dim*len(columns[0]))
	for d, column := range columns {
		for i, x := range column {
			rows[i*dim+d] = x
		}
	}
	return rows
}

// sumOfSteps is the sum of the squared differences of successive rows.
func sumOfSteps(rows []float64, dim int) (sum float64) {
	for i, x := range rows[dim:] {
		x -= rows[i]
		sum += x * x
	}
	return sum
}
