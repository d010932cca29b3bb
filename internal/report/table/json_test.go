package table

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
)

// What is read is written again byte for byte, with a NaN and infinities; TestGolden has the bytes of every field.
func TestJSONRoundTrip(t *testing.T) {
	table := sampleTable()
	table.Spread = "standard error over sets"
	inf := math.Inf(1)
	table.Cells[8].Ours = &Value{Mean: math.Inf(-1), Std: &inf, N: 2}
	table.Cells[8].Seeds = []uint64{math.MaxUint64}
	var first, second bytes.Buffer
	must.M(table.JSON(&first))
	read := must.M1(ReadJSON(first.Bytes()))
	must.M(read.JSON(&second))
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the second writing differs from the first")
	}
	second.Reset()
	if must.M(read.Markdown(&second)); !strings.Contains(second.String(), "±: standard error over sets.") {
		t.Errorf("it does not say what its ± is:\n%s", second.String())
	}
}

func TestReadJSONFaults(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"empty":      {"", "not a result table"},
		"text":       {"{\n\"schema_version\": 1,\nx}", "not a result table"},
		"truncated":  {`{"schema_version": 1, "cells": [`, "not a result table"},
		"no version": {`{"id": "table3"}`, "schema_version none"},
		"newer":      {`{"schema_version": 2}`, "schema_version 2"},
		"wrong kind": {"{\"schema_version\": 1,\n\"cells\": 3}", "not a result table"},
		"bad number": {`{"schema_version": 1, "id": "t", "cells": [{"seconds": "x"}]}`, `"x" is no number`},
		"no id":      {`{"schema_version": 1}`, "table id"},
		"duplicate": {`{"schema_version": 1, "id": "t", "cells": [
			{"data":"a","model":"b","metric":"c"},{"data":"a","model":"b","metric":"c"}]}`, "twice"},
	} {
		_, err := ReadJSON([]byte(c.in))
		if !usererr.Is(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want a fault with %q", name, err, c.want)
		}
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
		table, err := ReadJSON(text)
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
		again, err := ReadJSON(first.Bytes())
		if err != nil {
			t.Fatalf("%s, written from %q, gave %v", first.String(), text, err)
		}
		must.M(again.JSON(&second))
		if first.String() != second.String() {
			t.Errorf("the second writing differs from the first:\n%s\n%s", second.String(), first.String())
		}
	})
}

func TestFormatValue(t *testing.T) {
	std := func(x float64) *float64 { return &x }
	nan := math.NaN()
	for _, c := range []struct {
		metric string
		v      *Value
		paper  bool
		want   string
	}{
		{"NMI", nil, false, "–"},
		{"NMI", &Value{Mean: nan}, false, "–"},
		{"NMI", &Value{Mean: 0.9415}, false, "0.942"},
		{"NMI", &Value{Mean: 0.9}, true, "0.90"},
		{"ARI", &Value{Mean: 0.91, Std: std(0.02)}, true, "0.91 ± 0.02"},
		{"ARI", &Value{Mean: 0.9051, Std: std(0.0049)}, false, "0.905 ± 0.005"},
		{"ARI", &Value{Mean: 0.9051, Std: &nan}, false, "0.905"},
		{"ARI", &Value{Mean: -0.0123}, false, "-0.012"},
		{"MC", &Value{Mean: 41.1, Std: std(19.8)}, true, "41.1 ± 19.8"},
		{"MC_eps", &Value{Mean: 3.68}, false, "3.7"},
		{"MC_eps", &Value{Mean: 0.0474}, false, "0.047"}, // two digits that are not zero
		{"MC", &Value{Mean: 0.0474, Std: std(2)}, false, "0.0 ± 2.0"},
		{"MC", &Value{Mean: 0.0474}, true, "0.0"}, // as printed
		{"KL", &Value{Mean: 0.00123}, false, "0.0012"},
		{"KL", &Value{Mean: 1.44e-5}, false, "1.4e-05"},
		{"KL", &Value{}, false, "0.000"},
		{"MC", &Value{Mean: 999.94}, false, "999.9"},
		{"MC", &Value{Mean: 999.96}, false, "1,000"},
		{"MC", &Value{Mean: 12345.6, Std: std(78.9)}, false, "12,346 ± 79"},
		{"MC", &Value{Mean: 800, Std: std(1234.5)}, false, "800 ± 1,234"}, // 1234.5 is exact, so it rounds to even
		{"MC", &Value{Mean: 1234567, Std: std(890)}, false, "1.23e+06 ± 8.90e+02"},
		{"MC", &Value{Mean: math.Inf(1)}, false, "inf"},
		{"SDPP", &Value{Mean: 0.4321}, false, "0.432"},
		{"K", &Value{Mean: 7}, false, "7"},
		{"K", &Value{Mean: 7.25}, false, "7.250"},
	} {
		if got := FormatValue(c.metric, c.v, c.paper); got != c.want {
			t.Errorf("FormatValue(%s, %+v, %v) = %q, want %q", c.metric, c.v, c.paper, got, c.want)
		}
	}
}
