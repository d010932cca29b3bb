package table

import (
	"cmp"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/gfncp/gfncp/internal/usererr"
)

// SchemaVersion is the "schema_version" of the JSON rendering. Adding a field keeps it; any other change raises it.
const SchemaVersion = 1

// NaN is null in JSON, infinities are "inf" and "-inf"; other numbers are as usual.
var (
	writtenNumbers = json.WithMarshalers(json.MarshalToFunc(func(e *jsontext.Encoder, x float64) error {
		switch {
		case math.IsNaN(x):
			return e.WriteToken(jsontext.Null)
		case math.IsInf(x, 1):
			return e.WriteToken(jsontext.String("inf"))
		case math.IsInf(x, -1):
			return e.WriteToken(jsontext.String("-inf"))
		}
		return errors.ErrUnsupported
	}))
	readNumbers = json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, x *float64) error {
		if kind := d.PeekKind(); kind != 'n' && kind != '"' {
			return errors.ErrUnsupported
		}
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		known := false
		*x, known = map[string]float64{"null": math.NaN(), "inf": math.Inf(1), "-inf": math.Inf(-1)}[token.String()]
		if !known {
			return fmt.Errorf(`%q is no number, null, "inf" or "-inf"`, token)
		}
		return nil
	}))
)

// JSON writes t with all its digits, cells in reading order. Absent values and NaN are null.
func (t *Table) JSON(w io.Writer) error {
	out := *t
	out.Cells = t.Ordered()
	for i := range out.Cells {
		c := &out.Cells[i]
		c.Derived = nil
		if d, ok := c.Difference(); ok {
			c.Derived = &d
		}
	}
	encoder := jsontext.NewEncoder(w, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	return json.MarshalEncode(encoder, struct {
		SchemaVersion int `json:"schema_version"`
		*Table
	}{SchemaVersion, &out}, writtenNumbers)
}

// ReadJSON reads the output of JSON. A NaN deviation comes back as an unknown one. A broken file, another
// schema_version or a table that Check refuses gives a usererr.Error without a path.
func ReadJSON(data []byte) (*Table, error) {
	var in struct {
		SchemaVersion jsontext.Value `json:"schema_version"`
		Table
	}
	err := json.Unmarshal(data, &in, readNumbers)
	if found := cmp.Or(string(in.SchemaVersion), "none"); err == nil && found != fmt.Sprint(SchemaVersion) {
		err = fmt.Errorf("schema_version %s, not %d", found, SchemaVersion)
	}
	if err != nil {
		return nil, usererr.New("give a table that this program wrote, or update the program",
			"not a result table: %v", err)
	}
	return &in.Table, in.Check()
}
