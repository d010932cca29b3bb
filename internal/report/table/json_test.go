package table

import (
	"bytes"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
)

func TestJSONRoundTrip(t *testing.T) {
	table := sampleTable()
	inf := math.Inf(1)
	table.Cells[8].Ours = &Value{Mean: math.Inf(-1), Std: &inf, N: 2}
	table.Cells[8].Seeds = []uint64{math.MaxUint64}
	var first, second bytes.Buffer
	must.M(table.JSON(&first))
	read := must.M1(ReadJSON(bytes.NewReader(first.Bytes())))
	must.M(read.JSON(&second))
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the second writing differs from the first")
	}
	want := table.Ordered()
	for i := range want {
		got := read.Cells[i]
		if want[i].Ours != nil && math.IsNaN(want[i].Ours.Mean) { // NaN is unequal to itself
			if !math.IsNaN(got.Ours.Mean) {
				t.Errorf("cell %d: NaN came back as %v", i, got.Ours.Mean)
			}
			got.Ours = want[i].Ours
		}
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("cell %d came back as %+v, want %+v", i, got, want[i])
		}
	}
	if read.ID != table.ID || read.Title != table.Title || read.Caption != table.Caption ||
		read.Provenance != table.Provenance || !reflect.DeepEqual(read.Footnotes, table.Footnotes) {
		t.Errorf("head came back as %+v", read)
	}
}

func TestReadJSONFaults(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"empty":      {"", "line 1"},
		"text":       {"{\n\"schema_version\": 1,\nx}", "line 3"},
		"truncated":  {`{"schema_version": 1, "cells": [`, "line 1"},
		"no version": {`{"id": "table3"}`, "schema_version none"},
		"newer":      {`{"schema_version": 2}`, "schema_version 2"},
		"wrong kind": {"{\"schema_version\": 1,\n\"cells\": 3}", "line 2"},
		"bad number": {`{"schema_version": 1, "id": "t", "cells": [{"seconds": "x"}]}`, `"x" is no number`},
		"no id":      {`{"schema_version": 1}`, "table id"},
		"duplicate": {`{"schema_version": 1, "id": "t", "cells": [
			{"data":"a","model":"b","metric":"c"},{"data":"a","model":"b","metric":"c"}]}`, "twice"},
	} {
		_, err := ReadJSON(strings.NewReader(c.in))
		if !usererr.Is(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want a fault with %q", name, err, c.want)
		}
	}
}

// A table says what its ± is, and keeps that as JSON.
func TestSpread(t *testing.T) {
	std := 0.25
	made := &Table{ID: "spread", Spread: "standard error over sets", Cells: []Cell{
		{Data: "iris", Model: "mclust", Metric: "ARI", Ours: &Value{Mean: 0.5, Std: &std, N: 1}},
	}}
	var text, markdown bytes.Buffer
	must.M(made.JSON(&text))
	back := must.M1(ReadJSON(&text))
	must.M(back.Markdown(&markdown))
	if !strings.Contains(markdown.String(), "±: standard error over sets.") {
		t.Error(markdown.String())
	}
}

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
