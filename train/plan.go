package train

import (
	"math"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/layers"
	"github.com/gfncp/gfncp/models"
)

const (
	plannedSizes = 7  // of sets, and of tables besides the fullest
	plannedDraws = 16 // batches of each size, whose largest number of rows is planned for
	// listedUnit divides the rows of tables on a device. XLA cuts the rows into up to 256 parts of whole 16 bytes where
	// it sums a weight's gradient on a GPU, and copies every operand first if the parts are uneven.
	listedUnit = 1024
)

func (c Config) buckets(backend compute.Backend) (models.Buckets, error) {
	if engine.OnGo(backend) {
		return models.FineBuckets, nil
	}
	return c.planned()
}

// room is a planned size: the points of a set, and the candidates of a whole batch.
type room struct{ points, rows int }

// planned returns the buckets of a training on a backend that takes seconds to compile: a few sizes of sets, each with
// room for the candidates of its largest sets. A set that does not fit takes the next size. Exploration steps, which
// are rare, all take the largest table; sets beyond it take a coarse size.
func (c Config) planned() (models.Buckets, error) {
	rooms, clusters, err := c.rooms()
	if err != nil {
		return models.Buckets{}, err
	}
	coarse, planned, full := models.CoarseBuckets, models.CoarseBuckets, rooms[len(rooms)-1]
	planned.Points = func(n int) int {
		for _, r := range rooms {
			if n <= r.points {
				return r.points
			}
		}
		return coarse.Points(n)
	}
	table := func(rooms []room) func(sets, points, rows int) (int, int) {
		return func(sets, points, rows int) (int, int) {
			for _, r := range rooms {
				if all := layers.RoundUp(r.rows*sets/c.Data.Batch, listedUnit); points <= r.points && rows <= all {
					return r.points, all
				}
			}
			return planned.Points(max(points, full.points)), layers.RoundUp(coarse.Rows(rows), listedUnit)
		}
	}
	planned.Table, planned.Explored = table(rooms), table(rooms[len(rooms)-1:])
	planned.Decoded = full.points
	// Weights at the start of a training choose almost at random: then a cluster opens with probability 1/(K_n+1), and
	// there are √(2N) of them.
	random := 1.4 * math.Sqrt(2*float64(c.Data.NMax))
	planned.Labelled = clusters + 2
	planned.Sampled = max(int(random)+1, planned.Labelled)
	planned.First = max(planned.Slots(planned.Sampled)/4, coarse.First)
	return planned, nil
}

// rooms draws batches of each planned size. It returns the rooms that they need, and last the room of the largest sets
// if all points see all clusters of their set, as in an exploration step; and the largest number of clusters of a set.
func (c Config) rooms() (rooms []room, most int, err error) {
	d, full := data.DefaultMoG(), room{}
	d.Dim, d.Batch, d.FixedK, d.MinK, d.MaxK = 1, c.Data.Batch, c.Data.FixedK, c.Data.MinK, c.Data.MaxK
	d.AlphaMin, d.AlphaMax = c.Data.AlphaMin, c.Data.AlphaMax
	for i := range plannedSizes {
		n := c.Data.NMin + ((c.Data.NMax-c.Data.NMin)*(i+1)+plannedSizes-1)/plannedSizes
		d.NMin, d.NMax = n, n
		source, err := data.NewMoG(d)
		if err != nil {
			return nil, 0, err
		}
		size := room{points: layers.RoundUp(n, 8)}
		for step := range plannedDraws {
			batch, err := source.Batch(c.Seed, step)
			if err != nil {
				return nil, 0, err
			}
			rows, clusters := 0, 0
			for set := range batch.B {
				_, labels := batch.Set(set)
				k := 0
				for _, label := range labels {
					rows += k + 1
					k = max(k, int(label)+1)
				}
				clusters, most = clusters+k, max(most, k)
			}
			size.rows = max(size.rows, rows)
			full = room{size.points, max(full.rows, n*(clusters+batch.B))}
		}
		rooms = append(rooms, size)
	}
	return append(rooms, full), most, nil
}
