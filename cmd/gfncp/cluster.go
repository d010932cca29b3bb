package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/cmd/internal/answer"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

func cluster(c *cli.Context) error {
	options, err := optionsOf(c)
	if err != nil {
		return err
	}
	read, do := root.ReadPoints, root.Cluster
	if name := options.Model; name != "" && name != root.MixtureModel {
		model, err := root.Open(name, options)
		if err != nil {
			return err
		}
		defer model.Close()
		read, do = model.ReadPoints, model.Cluster
	}
	points, err := readPoints(c, c.Args().First(), read)
	if err != nil {
		return err
	}
	if err := checkOutputs(c, points.Input()); err != nil {
		return err
	}
	if err := addKnown(c, points.Input(), &options.Known); err != nil {
		return err
	}
	ended := listen(c, options)
	found, err := do(c.Context, points, options)
	ended()
	if err != nil {
		return err
	}
	if found.Table == nil && !c.Bool("json") { // a table's report holds its warnings
		printWarnings(c, found.Warnings)
	}
	in := points.Input()
	if found.Table == nil || c.String("plot") != "" || c.String("html") != "" {
		if in, err = found.Drawn(); err != nil {
			return err
		}
	}
	for _, output := range clusterOutputs {
		if path := c.String(output.flag); path != "" {
			if err := output.write(path, in, found); err != nil {
				return err
			}
		}
	}
	view, err := answer.NewView(in, found.Result, found.Notes)
	if err != nil {
		return err
	}
	view.Next = append(view.Next, nextSteps(view.Noun, c.String)...)
	return show(c, view.Output, "cluster", view)
}

// nextSteps are hints at flags that are not given, for points that noun names. value returns the value of a flag.
func nextSteps(noun string, value func(flag string) string) (steps []string) {
	if value("html") == "" {
		steps = append(steps, fmt.Sprintf("--html look.html shows every %s", noun))
	}
	if value("save") == "" {
		steps = append(steps, "--save clusters.json keeps the clusters for gfncp predict")
	}
	return steps
}

// clusterOutputs are the files that cluster writes: the flags that name them, the endings that the names may have.
var clusterOutputs = []struct {
	flag    string
	endings []string
	write   func(path string, in *files.Input, found *root.Clustering) error
}{
	{"save", []string{".json", ".json.gz"}, func(path string, _ *files.Input, found *root.Clustering) error {
		return found.Save(path)
	}},
	{"out", nil, func(path string, in *files.Input, found *root.Clustering) error {
		own := answer.OwnProbabilities(found.Result)
		return writePoints(path, in, found.Labels, own, found.K, found.Probabilities, nil)
	}},
	{"co-clustering", nil, func(path string, _ *files.Input, found *root.Clustering) error {
		return writeCSV(path, func(out *csv.Writer) {
			for _, row := range found.CoClustering {
				_ = out.Write(answer.Each(row, decimal))
			}
		})
	}},
	{"html", []string{".html", ".htm"}, func(path string, in *files.Input, found *root.Clustering) error {
		return answer.Explorer(in, found.Result).Save(path)
	}},
	{"plot", []string{".svg", ".png"}, func(path string, in *files.Input, found *root.Clustering) error {
		return plot.Save(answer.Chart(in, found.Result), path)
	}},
}

// checkOutputs fails before the long work if an output cannot be written, is read, is named twice, or has another kind.
func checkOutputs(c *cli.Context, in *files.Input) error {
	seen := map[string]string{}
	for _, output := range clusterOutputs {
		flag, path := output.flag, c.String(output.flag)
		if path == "" {
			continue
		}
		if err := checkOutput(c, flag, filesRead(c, in)...); err != nil {
			return err
		}
		absolute, err := filepath.Abs(path)
		if err != nil {
			return fmt.Errorf("find %s: %w", path, err)
		}
		fits := func(ending string) bool { return strings.HasSuffix(strings.ToLower(path), ending) }
		switch other, taken := seen[absolute]; {
		case taken:
			return usererr.File(path, 0, "give each its own file", "--%s and --%s name the same file", other, flag)
		case output.endings != nil && !slices.ContainsFunc(output.endings, fits):
			return usererr.File(path, 0, "end the name in "+strings.Join(output.endings, " or "),
				"--%s does not write such a file", flag)
		}
		seen[absolute] = flag
	}
	return nil
}

// filesRead lists the files that a command reads: files named by the command line or in more, files of a run that these
// name, and the images or the labels of in, which may be nil.
func filesRead(c *cli.Context, in *files.Input, more ...string) []string {
	read := slices.Concat(c.Args().Slice(), more)
	for _, flag := range []string{"model", "together", "apart"} {
		read = append(read, c.String(flag))
	}
	for _, dir := range slices.Clone(read) {
		for _, name := range train.FilesOf(dir) {
			read = append(read, filepath.Join(dir, name))
		}
	}
	switch {
	case in != nil && in.IsImages():
		read = append(read, answer.Each(in.Names, func(name string) string { return filepath.Join(in.Path, name) })...)
	case in != nil && in.LabelsFrom != "":
		read = append(read, filepath.Join(filepath.Dir(in.Path), in.LabelsFrom))
	}
	return read
}

// checkOutput fails if the file that a flag names is one that is read, or cannot be written.
func checkOutput(c *cli.Context, flag string, inputs ...string) error {
	path := c.String(flag)
	own, err := os.Stat(path)
	for _, read := range inputs {
		if other, fault := os.Stat(read); err == nil && fault == nil && os.SameFile(own, other) {
			return usererr.File(path, 0, "choose another output path", "--%s would overwrite the input", flag)
		}
	}
	return atomicfile.CheckWritable(path)
}

// writeCSV writes a file of records. It returns the first error, which the writer keeps.
func writeCSV(path string, records func(out *csv.Writer)) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		out := csv.NewWriter(w)
		records(out)
		out.Flush()
		return out.Error()
	})
}

// writePoints writes a head, then a record for each point. A record has the point's name if it has one, its coordinates
// if it is not an image, its label, and the label's probability. With rows it also has a probability for each of the k
// clusters and for all others; with fresh, one for a new cluster. Column p_k belongs to cluster k; both count from 0.
func writePoints(
	path string, in *files.Input, labels []int32, own []float64, k int, rows [][]float64, fresh []float64,
) error {
	head := slices.Concat(answer.Each(in.Columns, plainCell), []string{"cluster", "probability"})
	if in.Names != nil {
		head = slices.Insert(head, 0, plainCell(in.NameColumn))
	}
	if rows != nil {
		for c := range k {
			head = append(head, "p_"+strconv.Itoa(c))
		}
		head = append(head, "p_other")
	}
	if fresh != nil {
		head = append(head, "p_new")
	}
	return writeCSV(path, func(out *csv.Writer) {
		_ = out.Write(head)
		for i, label := range labels {
			var record []string
			if in.Names != nil {
				record = append(record, plainCell(in.Names[i]))
			}
			numbers := []float64{own[i]}
			if rows != nil {
				numbers = append(numbers, rows[i]...)
			}
			if fresh != nil {
				numbers = append(numbers, fresh[i])
			}
			record = append(slices.Concat(record, in.Cells(i)), strconv.Itoa(int(label)))
			_ = out.Write(append(record, answer.Each(numbers, decimal)...))
		}
	})
}

// plainCell puts an apostrophe before a text that spreadsheets would take for a formula, as OWASP advises.
func plainCell(text string) string {
	if text == "" || !strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text // a negative number
	}
	return "'" + text
}

// decimal is the shortest text that reads back as the same number.
func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
