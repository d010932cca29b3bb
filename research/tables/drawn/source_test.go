package drawn

import (
	"math"
	"reflect"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/partition"
)

func fewTables() data.Config {
	c := data.DefaultTables()
	c.Batch, c.NMin, c.NMax = 6, 20, 30
	return c
}

// Every set is a table as a network sees it: canonical labels, centred columns, the ones it has first and zeros behind
// them, rows 8 long in root mean square, fewer columns than rows.
func TestTablesBatchInvariants(t *testing.T) {
	source := must.M1(NewTables(fewTables()))
	sizes, widths := map[int]bool{}, map[int]bool{}
	for step := range 12 {
		b := must.M1(source.Batch(3, step))
		if b.B != 6 || b.N < 20 || b.N > 30 || b.D != data.TableDim || source.Dim() != data.TableDim {
			t.Fatalf("shapes B=%d N=%d D=%d", b.B, b.N, b.D)
		}
		sizes[b.N] = true
		for i := range b.B {
			x, labels := b.Set(i)
			again := append([]int32(nil), labels...)
			if k := partition.Renumber(again); !reflect.DeepEqual(again, labels) || k > fewTables().Tables.MaxK {
				t.Errorf("step %d, table %d: labels %v", step, i, labels)
			}
			widths[checkColumns(t, x, b.N)] = true
		}
	}
	if len(sizes) < 5 || len(widths) < 5 {
		t.Errorf("only %d numbers of rows and %d of columns", len(sizes), len(widths))
	}
}

// checkColumns returns the number of columns that vary.
func checkColumns(t *testing.T, x []float32, n int) (has int) {
	t.Helper()
	total := 0.0
	for j := range data.TableDim {
		sum, squares := 0.0, 0.0
		for i := range n {
			v := float64(x[i*data.TableDim+j])
			sum, squares = sum+v, squares+v*v
		}
		switch {
		case squares > 0 && has == j:
			has++
		case squares > 0:
			t.Errorf("column %d stands behind one of zeros", j)
		}
		if !(math.Abs(sum) < 1e-3) {
			t.Errorf("column %d has sum %g", j, sum)
		}
		total += squares / float64(n)
	}
	if has < 1 || has >= n || !(math.Abs(math.Sqrt(total)-8) < 1e-3) {
		t.Errorf("%d columns, rows of length %g", has, math.Sqrt(total))
	}
	return has
}

// Tables have labels of their own.
func TestTablesShareNothing(t *testing.T) {
	c := data.DefaultTables()
	c.Shared = true
	if _, err := NewTables(c); err == nil {
		t.Error("tables took a shared labelling")
	}
}
