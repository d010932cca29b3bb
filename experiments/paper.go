package experiments

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/gfncp/gfncp/internal/report/table"
)

// paperTables holds the numbers printed in the paper (AISTATS 2025), tables 1 to 6.
//
//go:embed paper_tables.json
var paperTables []byte

// paperTable is one table of numbers: data set, metric, model.
type paperTable struct {
	Caption string                                           `json:"caption"`
	Cells   map[string]map[string]map[string]json.RawMessage `json:"cells"`
}

// paperValue returns what the paper prints in one cell, or nil if that cell is empty there.
func paperValue(id, data, metric, model string) (*table.Value, error) {
	var tables map[string]paperTable
	if err := json.Unmarshal(paperTables, &tables); err != nil {
		return nil, fmt.Errorf("read the paper's tables: %w", err)
	}
	raw, ok := tables[id].Cells[data][metric][model]
	if !ok {
		return nil, nil
	}
	var cell struct {
		Mean float64  `json:"mean"`
		Std  *float64 `json:"std"`
	}
	if err := json.Unmarshal(raw, &cell); err != nil {
		return nil, fmt.Errorf("read the paper's %s, %s, %s, %s: %w", id, data, metric, model, err)
	}
	return &table.Value{Mean: cell.Mean, Std: cell.Std}, nil
}
