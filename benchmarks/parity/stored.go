package parity

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed values.json
var stored []byte

// values maps a case to its stored quantities.
type values map[string][]Quantity

func load() (values, error) {
	var v values
	if err := json.Unmarshal(stored, &v); err != nil {
		return nil, fmt.Errorf("read the stored parity values: %w", err)
	}
	return v, nil
}

// encode writes values with one quantity a line.
func (v values) encode() ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	text = bytes.ReplaceAll(text, []byte(`{"name":`), []byte("\n"+`{"name":`))
	return append(text, '\n'), nil
}
