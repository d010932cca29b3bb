package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/cmd/internal/answer"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/usererr"
)

// outputs are the files that `gfncp cluster` writes; an empty path is not wanted.
type outputs struct{ table, matrix, plot, html, saved string }

// check fails before the long work if an output cannot be written, is a file that is read, or is named twice.
func (o outputs) check(in *files.Input, others ...string) error {
	seen := map[string]string{}
	for _, f := range []struct{ flag, path string }{
		{"--out", o.table},
		{"--co-clustering", o.matrix},
		{"--plot", o.plot},
		{"--html", o.html},
		{"--save", o.saved},
	} {
		if f.path == "" {
			continue
		}
		for _, read := range append(others, in.Path) {
			if sameFile(f.path, read) {
				return usererr.File(f.path, 0, "choose another output path", "%s would overwrite the input", f.flag)
			}
		}
		absolute, err := filepath.Abs(f.path)
		if err != nil {
			return fmt.Errorf("find %s: %w", f.path, err)
		}
		if other, taken := seen[absolute]; taken {
			return usererr.File(f.path, 0, "give each its own file", "%s and %s name the same file", other, f.flag)
		}
		seen[absolute] = f.flag
		if err := atomicfile.CheckWritable(f.path); err != nil {
			return err
		}
	}
	if ext := strings.ToLower(filepath.Ext(o.html)); o.html != "" && ext != ".html" && ext != ".htm" {
		return usererr.File(o.html, 0, "end the name in .html", "--html writes a page, but the name ends in %q", ext)
	}
	return o.checkPlot(in)
}

// checkPlot refuses a picture of images, and an unknown format.
func (o outputs) checkPlot(in *files.Input) error {
	if o.plot == "" {
		return nil
	}
	if in.IsImages() {
		return usererr.File(o.plot, 0, "give --html FILE.html, which shows the images by cluster",
			"--plot draws points, not images")
	}
	if ext := strings.ToLower(filepath.Ext(o.plot)); ext != ".svg" && ext != ".png" {
		return usererr.File(o.plot, 0, "end the name in .svg or .png", "unknown picture format %q", ext)
	}
	return nil
}

// sameFile reports whether both paths lead to one existing file.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// write writes all wanted files, each as a whole.
func (o outputs) write(in *files.Input, r *clustering.Result) error {
	if o.table != "" {
		rows := pointRows(in, r.Labels, answer.OwnProbabilities(r), r.K, r.Probabilities, nil)
		if err := writeCSV(o.table, rows); err != nil {
			return err
		}
	}
	if o.matrix != "" {
		if err := writeCSV(o.matrix, matrixRows(r.CoClustering)); err != nil {
			return err
		}
	}
	if o.html != "" {
		page, err := answer.Explorer(in, r)
		if err != nil {
			return err
		}
		if err := page.Save(o.html); err != nil {
			return err
		}
	}
	if o.plot == "" {
		return nil
	}
	return plot.Save(clusterPlot(in, r), o.plot)
}

func writeCSV(path string, records iter.Seq[[]string]) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		out := csv.NewWriter(w)
		for record := range records {
			if err := out.Write(record); err != nil {
				return err
			}
		}
		out.Flush()
		return out.Error()
	})
}

// pointRows yields a head, then a record for each point. A record has the point's name if it has one, its coordinates
// if it is not an image, its label, and the label's probability. With rows it also has a probability for each of the k
// clusters and for all others; with fresh, one for a new cluster. Column p_k belongs to cluster k; both count from 0.
func pointRows(
	in *files.Input, labels []int32, own []float64, k int, rows [][]float64, fresh []float64,
) iter.Seq[[]string] {
	head := append(pointHead(in), "cluster", "probability")
	if rows != nil {
		for c := range k {
			head = append(head, "p_"+strconv.Itoa(c))
		}
		head = append(head, "p_other")
	}
	if fresh != nil {
		head = append(head, "p_new")
	}
	return func(yield func([]string) bool) {
		if !yield(head) {
			return
		}
		for i, label := range labels {
			record := append(pointCells(in, i), strconv.Itoa(int(label)), decimal(own[i]))
			if rows != nil {
				record = append(record, answer.Each(rows[i], decimal)...)
			}
			if fresh != nil {
				record = append(record, decimal(fresh[i]))
			}
			if !yield(record) {
				return
			}
		}
	}
}

// pointHead names the cells of pointCells.
func pointHead(in *files.Input) []string {
	head := slices.Clone(in.Columns)
	if in.Names != nil {
		head = slices.Insert(head, 0, in.NameColumn)
	}
	return answer.Each(head, plainCell)
}

// plainCell is a text of the user's that spreadsheets do not take for a formula: those put an apostrophe before it, and
// so does OWASP's advice on CSV injection.
func plainCell(text string) string {
	if text == "" || !strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text // a negative number
	}
	return "'" + text
}

// pointCells are point i's name if it has one, and its coordinates if it is no image.
func pointCells(in *files.Input, i int) (cells []string) {
	if in.Names != nil {
		cells = append(cells, plainCell(in.Names[i]))
	}
	return append(cells, in.Cells(i)...)
}

// matrixRows gives the matrix [N][N] without a head, in the order of the input.
func matrixRows(matrix [][]float64) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for _, row := range matrix {
			if !yield(answer.Each(row, decimal)) {
				return
			}
		}
	}
}

// decimal is the shortest text that reads back as the same number.
func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
