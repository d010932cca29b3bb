package table

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/gfncp/gfncp/internal/usererr"
)

// SchemaVersion is the "schema_version" of the JSON rendering. Adding a field keeps it; any other change raises it.
const SchemaVersion = 1

// Number is a float64 whose JSON form covers all values: NaN is null, infinities are "inf" and "-inf".
type Number float64

// MarshalJSON writes null, "inf", "-inf" or the number.
func (x Number) MarshalJSON() ([]byte, error) {
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

// UnmarshalJSON reads the JSON of MarshalJSON.
func (x *Number) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "null":
		*x = Number(math.NaN())
	case `"inf"`:
		*x = Number(math.Inf(1))
	case `"-inf"`:
		*x = Number(math.Inf(-1))
	default:
		var f float64
		if err := json.Unmarshal(b, &f); err != nil {
			return fmt.Errorf(`%s is no number, null, "inf" or "-inf"`, b)
		}
		*x = Number(f)
	}
	return nil
}

// valueJSON is the JSON form of a Value.
type valueJSON struct {
	Mean Number  `json:"mean"`
	Std  *Number `json:"std"`
	N    int     `json:"n"`
}

// MarshalJSON writes a NaN as null, an infinity as the string "inf" or "-inf".
func (v Value) MarshalJSON() ([]byte, error) {
	return json.Marshal(valueJSON{Number(v.Mean), (*Number)(v.Std), v.N})
}

// UnmarshalJSON reads the JSON of MarshalJSON; a NaN deviation comes back as an unknown one.
func (v *Value) UnmarshalJSON(b []byte) error {
	var in valueJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return errors.New(err.Error()) // its place in b says nothing about the file
	}
	*v = Value{Mean: float64(in.Mean), Std: (*float64)(in.Std), N: in.N}
	return nil
}

// JSON writes t with all its digits, cells in reading order. Absent values and NaN are null.
func (t *Table) JSON(w io.Writer) error {
	out := *t
	out.Cells = append([]Cell{}, t.Ordered()...)
	for i := range out.Cells {
		c := &out.Cells[i]
		c.Seeds = append([]uint64{}, c.Seeds...)
		c.Derived = nil
		if d, ok := c.Difference(); ok {
			c.Derived = (*Number)(&d)
		}
	}
	out.Footnotes, out.Figures = append([]string{}, t.Footnotes...), append([]Figure{}, t.Figures...)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		SchemaVersion int `json:"schema_version"`
		*Table
	}{SchemaVersion, &out})
}

// ReadJSON reads the output of JSON. A NaN deviation comes back as an unknown one. A broken file, another
// schema_version or a table that Check refuses gives a usererr.Error without a path.
func ReadJSON(data []byte) (*Table, error) {
	var in struct {
		SchemaVersion json.RawMessage `json:"schema_version"`
		Table
	}
	err := json.Unmarshal(data, &in)
	if found := cmp.Or(string(in.SchemaVersion), "none"); err == nil && found != fmt.Sprint(SchemaVersion) {
		err = fmt.Errorf("schema_version %s, not %d", found, SchemaVersion)
	}
	if err != nil {
		return nil, usererr.New("give a table that this program wrote, or update the program",
			"not a result table: %v", err)
	}
	return &in.Table, in.Check()
}
