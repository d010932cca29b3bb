package data

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/pelletier/go-toml/v2"

	"github.com/gfncp/gfncp/internal/partition"
)

func fewTables() Config {
	c := DefaultTables()
	c.Batch, c.NMin, c.NMax = 6, 20, 30
	return c
}

// Every set is a table as a network sees it: canonical labels, centred columns, the ones it has first and zeros behind
// them, rows 8 long in root mean square, fewer columns than rows.
func TestTablesBatchInvariants(t *testing.T) {
	source := must.M1(NewTables(fewTables()))
	sizes, widths := map[int]bool{}, map[int]bool{}
	for step := range 12 {
		b := mustBatch(t, source, 3, step)
		if b.B != 6 || b.N < 20 || b.N > 30 || b.D != TableDim || source.Dim() != TableDim {
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
	for j := range TableDim {
		sum, squares := 0.0, 0.0
		for i := range n {
			v := float64(x[i*TableDim+j])
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

func TestTablesDeterminism(t *testing.T) {
	train := must.M1(NewTables(fewTables()))
	base := mustBatch(t, train, 1, 7)
	mustBatch(t, train, 1, 8) // earlier calls leave no trace
	if !reflect.DeepEqual(mustBatch(t, train, 1, 7), base) {
		t.Error("the same seed and step give different batches")
	}
	c := fewTables()
	c.Stream = "valid"
	for name, other := range map[string]*Batch{
		"step": mustBatch(t, train, 1, 8), "seed": mustBatch(t, train, 2, 7),
		"stream": mustBatch(t, must.M1(NewTables(c)), 1, 7),
	} {
		if reflect.DeepEqual(other.X[:4], base.X[:4]) {
			t.Errorf("another %s gives the same rows", name)
		}
	}
}

func TestTablesConfig(t *testing.T) {
	c := Default(SourceTables)
	if !reflect.DeepEqual(c, DefaultTables()) || c.Validate() != nil || !c.IsTables() || c.IsMixture() {
		t.Errorf("the default is %s: %v", c, c.Validate())
	}
	var back Config
	must.M(toml.Unmarshal(must.M1(toml.Marshal(c)), &back))
	if !reflect.DeepEqual(back, c) {
		t.Errorf("%+v came back as %+v", c, back)
	}
	const start = "tables dim=16 batch=32 n_min=20 n_max=400 stream=train max_columns=32 max_k=12 process=0.2 "
	if got := must.M1(NewTables(c)).String(); !strings.HasPrefix(got, start) {
		t.Errorf("prints %s", got)
	}
	if text := string(must.M1(toml.Marshal(DefaultMoG()))); strings.Contains(text, "tables") {
		t.Errorf("mixtures have a section of tables:\n%s", text)
	}
	c.FixedK, c.Tables.Tails = 3, 2
	_, err := NewTables(c)
	for _, want := range []string{"fixed_k is 3; set fixed_k to 0", "tables.tails is 2; set tables.tails to 0 to 1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("faults %v, want %q", err, want)
		}
	}
}
