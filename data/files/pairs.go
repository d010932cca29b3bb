package files

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
)

// ReadPairs reads pairs of rows of the input from a CSV file without a header. Each line names two or more rows, by
// their names or by their lines in the input. It pairs the first row of a line with each of the others, or if each is
// set, all rows with each other. It returns nil for an empty path. Faults are *usererr.Error.
func (in *Input) ReadPairs(path string, each bool) (pairs [][2]int, err error) {
	const hint = "write two rows a line, as 3,17"
	if path == "" {
		return nil, nil
	}
	of := in.rowNames()
	text, err := fileio.ReadInput(path)
	if err != nil {
		return nil, err
	}
	lines := csv.NewReader(bytes.NewReader(text))
	lines.FieldsPerRecord, lines.TrimLeadingSpace = -1, true
	for {
		names, err := lines.Read()
		switch {
		case errors.Is(err, io.EOF) && pairs == nil:
			return nil, usererr.File(path, 0, hint, "names no rows")
		case errors.Is(err, io.EOF):
			return pairs, nil
		case err != nil:
			return nil, usererr.File(path, 0, hint, "is no CSV file").Because(err)
		}
		line, _ := lines.FieldPos(0)
		var rows []int
		for _, name := range names {
			row, known := of[strings.TrimSpace(name)]
			if !known {
				return nil, usererr.File(path, line, "name rows by their lines in the input, or by its column of names",
					"there is no row %q in %s", name, in.Path)
			}
			rows = append(rows, row)
		}
		if len(rows) < 2 {
			return nil, usererr.File(path, line, hint, "names one row")
		}
		for i, row := range rows[1:] {
			before := rows[:1]
			if each {
				before = rows[:i+1]
			}
			for _, other := range before {
				pairs = append(pairs, [2]int{other, row})
			}
		}
	}
}

// rowNames are the rows by their names and by their lines, or numbers from 1 where there are no lines.
func (in *Input) rowNames() map[string]int {
	rows := map[string]int{}
	for i := range in.Len() {
		number := i + 1
		if in.Lines != nil {
			number = in.Lines[i]
		}
		rows[strconv.Itoa(number)] = i
	}
	for i, name := range in.Names {
		rows[name] = i
	}
	return rows
}

// LabelsOf returns the different values of a column as labels, numbered by first appearance, −1 for an empty cell.
func LabelsOf(c tabular.Column) []int32 {
	var list classList
	for _, v := range c.Values {
		if math.IsNaN(v) {
			list.labels = append(list.labels, -1)
		} else {
			list.add(strconv.FormatFloat(v+0, 'g', -1, 64)) // 0 also for −0
		}
	}
	return list.labels
}
