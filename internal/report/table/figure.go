package table

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"io"
	"path/filepath"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/report/plot"
)

// Figure is a picture that belongs to a table.
type Figure struct {
	// suffix of the table's ID in the names of its files, for example "mnist"; "" for the only one
	Name    string `json:"name"`
	Caption string `json:"caption"` // a sentence or two; may be empty
	// set by Write: without extension, in the table's folder, where there is .svg, .png and .json
	File    string        `json:"file"`
	Picture *figure.Chart `json:"-"` // nil in a table that was read
}

// recordsJSON writes {"schema_version", "columns", "rows"}, with numbers as in a table.
func recordsJSON(r *figure.Records, w io.Writer) error {
	return json.MarshalEncode(jsontext.NewEncoder(w, jsontext.AllowInvalidUTF8(true)), struct {
		SchemaVersion int      `json:"schema_version"`
		Columns       []string `json:"columns"`
		Rows          [][]any  `json:"rows"`
	}{SchemaVersion, r.Columns, r.Rows}, writtenNumbers)
}

// write saves a figure as dir/File.svg and .png, and its data as .json.
func (f Figure) write(dir string) error {
	stem := filepath.Join(dir, f.File)
	for _, ext := range plot.Extensions {
		if err := plot.Save(f.Picture, stem+"."+ext); err != nil {
			return fmt.Errorf("draw figure %s: %w", f.File, err)
		}
	}
	return atomicfile.Write(stem+".json", func(w io.Writer) error { return recordsJSON(f.Picture.Records(), w) })
}
