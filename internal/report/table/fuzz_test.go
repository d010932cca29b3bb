package table

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
)

// FuzzReadJSON: any bytes are a table or a fault of the user; a table can be written in every format, and as JSON it
// comes back as it was.
func FuzzReadJSON(f *testing.F) {
	var sample bytes.Buffer
	must.M(sampleTable().JSON(&sample))
	f.Add(sample.Bytes())
	f.Add([]byte(`{"schema_version": 1, "id": "t",
		"cells": [{"data": "a", "model": "b", "metric": "c", "ours": {"mean": "NaN"}}]}`))
	f.Add([]byte(`{"schema_version": 1, "id": "t", "cells": [null], "figures": [{"file": "../x"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		table, err := ReadJSON(bytes.NewReader(text))
		if err != nil {
			if !usererr.Is(err) {
				t.Errorf("%q gave %v", text, err)
			}
			return
		}
		for _, format := range Formats {
			must.M(format.Render(table, io.Discard))
		}
		var first, second bytes.Buffer
		must.M(table.JSON(&first))
		again, err := ReadJSON(strings.NewReader(first.String()))
		if err != nil {
			t.Fatalf("%s, written from %q, gave %v", first.String(), text, err)
		}
		must.M(again.JSON(&second))
		if first.String() != second.String() {
			t.Errorf("the second writing differs from the first:\n%s\n%s", second.String(), first.String())
		}
	})
}
