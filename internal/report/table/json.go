package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/gfncp/gfncp/internal/usererr"
)

// SchemaVersion is the "schema_version" of the JSON rendering. Adding a field keeps it; any other change raises it.
const SchemaVersion = 1

type jsonTable struct {
	SchemaVersion int         `json:"schema_version"`
	ID            string      `json:"id"`
	Title         string      `json:"title"`
	Caption       string      `json:"caption"`
	Provenance    Provenance  `json:"provenance"`
	Cells         []jsonCell  `json:"cells"`
	Footnotes     []string    `json:"footnotes"`
	Figures       []FigureRef `json:"figures"`
}

type jsonCell struct {
	Data       string     `json:"data"`
	Metric     string     `json:"metric"`
	Model      string     `json:"model"`
	Paper      *jsonValue `json:"paper"`
	Ours       *jsonValue `json:"ours"`
	Difference *number    `json:"difference"` // derived; ignored when read
	Note       string     `json:"note"`
	Apart      bool       `json:"incomparable,omitempty"`
	Scale      string     `json:"scale"`
	Steps      int        `json:"steps"`
	Seconds    number     `json:"seconds"`
	Backend    string     `json:"backend"`
	Seeds      []uint64   `json:"seeds"`
	TestSets   int        `json:"test_sets"`
	Selection  string     `json:"selection"`
}

type jsonValue struct {
	Mean number  `json:"mean"`
	Std  *number `json:"std"`
	N    int     `json:"n"`
}

// number is a float64 whose JSON form also covers what JSON lacks: NaN is null, infinities are "inf" and "-inf".
type number float64

func (x number) MarshalJSON() ([]byte, error) {
	switch f := float64(x); {
	case math.IsNaN(f):
		return []byte("null"), nil
	case math.IsInf(f, 1):
		return []byte(`"inf"`), nil
	case math.IsInf(f, -1):
		return []byte(`"-inf"`), nil
	default:
		return json.Marshal(f)
	}
}

func (x *number) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "null":
		*x = number(math.NaN())
	case `"inf"`:
		*x = number(math.Inf(1))
	case `"-inf"`:
		*x = number(math.Inf(-1))
	default:
		var f float64
		if err := json.Unmarshal(b, &f); err != nil {
			return fmt.Errorf(`%s is no number, null, "inf" or "-inf"`, b)
		}
		*x = number(f)
	}
	return nil
}

// JSON writes t with all its digits, indented, cells in reading order. Paper and ours are null when absent; a NaN is
// null, an infinity the string "inf" or "-inf".
func (t *Table) JSON(w io.Writer) error {
	out := jsonTable{
		SchemaVersion: SchemaVersion, ID: t.ID, Title: t.Title, Caption: t.Caption,
		Provenance: t.Provenance, Cells: []jsonCell{}, Footnotes: append([]string{}, t.Footnotes...),
		Figures: append([]FigureRef{}, t.Figures...),
	}
	cells := t.Ordered()
	for i := range cells {
		out.Cells = append(out.Cells, toJSON(&cells[i]))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

func toJSON(c *Cell) jsonCell {
	j := jsonCell{
		Data: c.Data, Metric: c.Metric, Model: c.Model, Paper: valueToJSON(c.Paper), Ours: valueToJSON(c.Ours),
		Note: c.Note, Apart: c.Incomparable, Scale: c.Scale, Steps: c.Steps, Seconds: number(c.Seconds), Backend: c.Backend,
		Seeds: append([]uint64{}, c.Seeds...), TestSets: c.TestSets, Selection: c.Selection,
	}
	if d, ok := c.Difference(); ok {
		n := number(d)
		j.Difference = &n
	}
	return j
}

func valueToJSON(v *Value) *jsonValue {
	if v == nil {
		return nil
	}
	return &jsonValue{Mean: number(v.Mean), Std: (*number)(v.Std), N: v.N}
}

// ReadJSON reads what JSON wrote. Empty lists come back nil and a NaN deviation comes back as an unknown one.
// A broken file, another schema_version or a table that Check refuses gives a usererr.Error without a path.
func ReadJSON(r io.Reader) (*Table, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read result table: %w", err)
	}
	var version struct {
		V *int `json:"schema_version"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return nil, jsonFault(data, err)
	}
	if version.V == nil || *version.V != SchemaVersion {
		found := "none"
		if version.V != nil {
			found = fmt.Sprint(*version.V)
		}
		return nil, usererr.New("give a table that this program wrote, or update the program",
			"result table has schema_version %s, not %d", found, SchemaVersion)
	}
	var in jsonTable
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, jsonFault(data, err)
	}
	t := in.table()
	if err := t.Check(); err != nil {
		return nil, err
	}
	return t, nil
}

// jsonFault names the line of a decoding error.
func jsonFault(data []byte, err error) error {
	offset := int64(len(data))
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	line := 1 + bytes.Count(data[:min(max(offset, 0), int64(len(data)))], []byte{'\n'})
	return &usererr.Error{
		Line: line, Err: err, Hint: "give a table that this program wrote",
		Msg: fmt.Sprintf("line %d: not a result table: %v", line, err),
	}
}

func (in *jsonTable) table() *Table {
	t := &Table{
		ID: in.ID, Title: in.Title, Caption: in.Caption,
		Provenance: in.Provenance, Footnotes: append([]string(nil), in.Footnotes...),
		Figures: append([]FigureRef(nil), in.Figures...),
	}
	for _, j := range in.Cells {
		t.Cells = append(t.Cells, Cell{
			Data: j.Data, Model: j.Model, Metric: j.Metric, Paper: j.Paper.value(), Ours: j.Ours.value(),
			Note: j.Note, Incomparable: j.Apart, Scale: j.Scale, Steps: j.Steps, Seconds: float64(j.Seconds), Backend: j.Backend,
			Seeds: append([]uint64(nil), j.Seeds...), TestSets: j.TestSets, Selection: j.Selection,
		})
	}
	return t
}

func (v *jsonValue) value() *Value {
	if v == nil {
		return nil
	}
	return &Value{Mean: float64(v.Mean), Std: (*float64)(v.Std), N: v.N}
}
