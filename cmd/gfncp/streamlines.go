package main

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// pointLines makes points of lines as they come, each by itself: numbers between commas, semicolons, tabs or blanks.
type pointLines struct {
	dim     int      // coordinates of a point
	columns []string // names, or numbers from 1, of the coordinates in a line; nil for all cells
	header  []string // names of the columns: of the first line, if none of its cells is a number
	begun   bool
}

// point returns the point [dim] of a line, or nil if the line holds none: it is empty, or the header. A line that holds
// no point is a *usererr.Error without its place, and the next line can be read as if it had not been there.
func (p *pointLines) point(line string) ([]float64, error) {
	cells := strings.FieldsFunc(strings.TrimPrefix(line, "\ufeff"), func(r rune) bool {
		return strings.ContainsRune(",; \t\r\n", r)
	})
	if len(cells) == 0 {
		return nil, nil
	}
	first := !p.begun
	p.begun = true
	isNumber := func(cell string) bool {
		_, err := strconv.ParseFloat(cell, 64)
		return err == nil
	}
	if first && !slices.ContainsFunc(cells, isNumber) {
		p.header = cells
		_, err := p.chosen(cells)
		return nil, err
	}
	chosen, err := p.chosen(cells)
	if err != nil {
		return nil, err
	}
	x := make([]float64, len(chosen))
	for i, cell := range chosen {
		v, err := strconv.ParseFloat(cell, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, usererr.New("mend or leave out this point", "%q is not a number", text.Shorten(cell, 41))
		}
		x[i] = v
	}
	return x, nil
}

// chosen are the cells of a line that hold the coordinates.
func (p *pointLines) chosen(cells []string) ([]string, error) {
	chosen := cells
	if p.columns != nil {
		chosen = nil
	}
	for _, want := range p.columns {
		at := slices.Index(p.header, want)
		if number, err := strconv.Atoi(want); at < 0 && err == nil {
			at = number - 1
		}
		if at < 0 || at >= len(cells) {
			return nil, usererr.New("name one of the first line, or give its number in --columns",
				"there is no column %q in %s", want, text.Count(len(cells), "cell"))
		}
		chosen = append(chosen, cells[at])
	}
	if len(chosen) != p.dim {
		return nil, usererr.New("choose as many columns with --columns, or another model", "%s, but the model takes %d",
			text.Count(len(chosen), "cell"), p.dim)
	}
	return chosen, nil
}
