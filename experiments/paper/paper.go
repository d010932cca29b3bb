// Package paper holds the numbers printed in the paper (AISTATS 2025): tables 1 to 6, and the bars of figures 1 and 5.
package paper

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

//go:embed tables.json
var tablesJSON []byte

// Number is what the paper prints in a cell.
type Number struct {
	Mean float64  `json:"mean"`
	Std  *float64 `json:"std"` // nil: the paper gives none
}

// printed is a table of numbers (data set, metric, model), or table 1's check marks, nil for a dash.
type printed struct {
	Cells   map[string]map[string]map[string]Number
	Rows    map[string][]*bool
	Columns []string
}

var tables = parsed[map[string]printed](tablesJSON)

// parsed reads an embedded file once. It is part of the program, so a fault in it is one of the program and panics.
func parsed[V any](text []byte) func() V {
	return sync.OnceValue(func() (v V) {
		if err := json.Unmarshal(text, &v); err != nil {
			panic(fmt.Errorf("read the paper's numbers: %w", err))
		}
		return v
	})
}

// Cell returns what the paper prints in a cell of a table such as "table3"; ok is false if that is empty there.
func Cell(table, data, metric, model string) (n Number, ok bool) {
	n, ok = tables()[table].Cells[data][metric][model]
	return n, ok
}

// Mark returns a check mark of the paper's table 1 by property and method; ok is false where it has a dash.
func Mark(property, method string) (holds, ok bool) {
	t := tables()["table1"]
	at, row := slices.Index(t.Columns, method), t.Rows[property]
	if at < 0 || at >= len(row) || row[at] == nil {
		return false, false
	}
	return *row[at], true
}
