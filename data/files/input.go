// Package files turns the user's files into a data.Pool: folders of images, and NumPy, Parquet and CSV files of vectors
// and tables. Data sets with a name are package data/sources; drawing sets from a pool, and changing its points for
// training, belong elsewhere.
//
// Images become grey values in 0..1, with bright strokes on a dark background as the models expect them.
package files

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/text"
)

// Input is a user's file or folder as Open read it: the points, their names, and the notes on how they were made.
type Input struct {
	// Pool is the points [M,D], which Raw, Encode or Apply make, and their labels if there are any; its Name is Path.
	*data.Pool
	Axes
	// Aside are the columns of Options.Aside, in their order.
	Aside []tabular.Column

	// Path is the file, as the user wrote it; "-" is standard input.
	Path string
	// Kind is "table", "NumPy array", "Parquet table" or "folder of images".
	Kind string
	// Names [M] are the points' names, the paths of images in the folder or the cells of NameColumn; nil without.
	Names []string
	// NameColumn is the column that holds Names, or "image".
	NameColumn string
	// Lines [M] are the 1-based lines of the points in text; nil for other formats.
	Lines []int
	// LabelsFrom says where the labels came from; empty without labels.
	LabelsFrom string
	table      *tabular.Table // nil if X holds the numbers exactly
	mixed      bool           // see IsMixed
	like       bool           // Options.Like is set: no column can be left out
	sizes      string         // of images as they were found
	// Notes say how the points were made, and Warnings name possible surprises, a line each.
	Notes, Warnings []string
}

// Axes say how coordinates are computed from the columns of a file. They can be stored as JSON, for further files.
type Axes struct {
	// Columns are the names of the columns that are read, x and its number for one without a name; nil for images.
	Columns []string `json:"columns,omitempty"`
	// Origin [D] is the value that Raw subtracts from each column before it rounds to 32 bits; nil if all are 0. Raw
	// computes it unless it is set, e.g. to the origin of another file.
	Origin []float64 `json:"origin,omitempty"`
	// Encoding is the encoding of Encode or Apply; nil for the columns as they are.
	Encoding *tabular.Encoding `json:"encoding,omitempty"`
	// Missing are the texts and numbers of Options.Missing.
	Missing []string `json:"missing,omitempty"`
}

// Summary returns a line about the images or points.
func (in *Input) Summary() string {
	if in.IsImages() {
		return fmt.Sprintf("%s: %s of %s pixels", in.Kind, text.Count(in.Len(), "image"), in.sizes)
	}
	return fmt.Sprintf("%s: %s", in.Kind, text.Count(in.Len(), "point"))
}

// counters warns of coordinates that count the points.
func (in *Input) counters() (warnings []string) {
	for j, name := range in.Columns {
		if counts(in.Len(), func(i int) float64 { return float64(in.X[i*in.D+j]) }) {
			warnings = append(warnings, "column "+text.Quote(name)+" counts the points and is taken as a coordinate; "+
				"leave it out if it only names them (FileOptions.Columns)")
		}
	}
	return warnings
}

// duplicates warns of points that occur more than once. 0 equals −0.
func (in *Input) duplicates() (warnings []string) {
	points := map[uint64]int{} // by hashes, which take less memory
	seed := maphash.MakeSeed()
	var content []byte
	for i := range in.Len() {
		content = content[:0]
		for _, v := range in.Point(i) {
			content = binary.LittleEndian.AppendUint32(content, math.Float32bits(v+0)) // 0 also for −0
		}
		points[maphash.Bytes(seed, content)]++
	}
	repeated, most := 0, 0
	for _, count := range points {
		most = max(most, count)
		if count > 1 {
			repeated++
		}
	}
	switch {
	case repeated == 0:
		return nil
	case most == in.Len():
		return []string{fmt.Sprintf("all %d points are equal", most)}
	case repeated == 1:
		return []string{fmt.Sprintf("1 point occurs %d times", most)}
	}
	return []string{fmt.Sprintf("%d points occur more than once", repeated)}
}

// classList numbers texts in order of first appearance.
type classList struct {
	index   map[string]int32
	labels  []int32  // [M] the number of each text
	classes []string // [K] the different texts
}

func (l *classList) add(text string) {
	label, known := l.index[text]
	if !known {
		if l.index == nil {
			l.index = map[string]int32{}
		}
		text = strings.Clone(text) // it may be part of a longer one
		label = int32(len(l.classes))
		l.index[text] = label
		l.classes = append(l.classes, text)
	}
	l.labels = append(l.labels, label)
}

// addLabels takes the labels [M] of the label column. A missing one is −1 or a fault, as the options say; if all are
// missing, there is a warning.
func (in *Input) addLabels(lay *layout, o Options) error {
	var list classList
	for i, cell := range lay.cells[lay.label].texts {
		switch {
		case cell != "":
			list.add(cell)
		case o.SomeLabels:
			list.labels = append(list.labels, -1)
		default:
			return in.table.Fault(i, mendOrIgnore, "column %s: the label is missing", lay.columnName(lay.label))
		}
	}
	if list.classes == nil {
		in.Warnings = append(in.Warnings, "column "+lay.columnName(lay.label)+" holds no label")
		return nil
	}
	in.Labels, in.Classes, in.LabelsFrom = list.labels, list.classes, "the label column"
	return nil
}
