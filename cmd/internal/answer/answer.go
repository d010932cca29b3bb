// Package answer formats a clustering as JSON, as a report in text, and as an interactive page. The command gfncp and
// the browser page (cmd/page) both use it.
package answer

import (
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/mixture"
)

// Output is the JSON of `gfncp cluster`.
type Output struct {
	*clustering.Result
	// Names [N] are the images' paths in their folder, or their indices in a file; only for images.
	Names []string `json:"names,omitempty"`
	// Notes tell how the images or the columns of a table were changed.
	Notes []string `json:"notes"`
	// NMI and ARI compare the clusters with the known labels, of the rows that have one; only if there are some.
	NMI *float64 `json:"nmi,omitempty"`
	ARI *float64 `json:"ari,omitempty"`
}

// compare sets NMI and ARI to the agreement with the known labels of an input, if it has some.
func (o *Output) compare(in *files.Input) error {
	if in.Labels == nil {
		return nil
	}
	labelled := labelledRows(in)
	truth, found := Pick(in.Labels, labelled), Pick(o.Labels, labelled)
	nmi, faultNMI := metrics.NMI(truth, found)
	ari, faultARI := metrics.ARI(truth, found)
	o.NMI, o.ARI = &nmi, &ari
	return errors.Join(faultNMI, faultARI)
}

// labelledRows returns the rows that have a label.
func labelledRows(in *files.Input) (rows []int) {
	for i, label := range in.Labels {
		if label >= 0 {
			rows = append(rows, i)
		}
	}
	return rows
}

//go:embed report.tmpl
var reportText string

// Reports holds the report "cluster" of a View, and functions for further reports.
var Reports = template.Must(template.New("reports").Funcs(template.FuncMap{
	"count": text.Count, "join": strings.Join, "list": text.List, "value": func(v *float64) float64 { return *v },
}).Parse(reportText))

// ParseNumber reads --k: a number of clusters, or a range such as 3..6.
func ParseNumber(text string) (least, most int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	from, to, isRange := strings.Cut(text, "..")
	if !isRange {
		to = from
	}
	least, errFrom := strconv.Atoi(from)
	most, errTo := strconv.Atoi(to)
	if errors.Join(errFrom, errTo) != nil || least < 1 || most < least || most > mixture.MostClusters {
		return 0, 0, usererr.New(fmt.Sprintf("use a number of clusters from 1 to %d, or a range such as 3..6",
			mixture.MostClusters), "--k %q", text)
	}
	return least, most, nil
}

// Fault is the text of an error with the flags of gfncp in place of the library's options.
func Fault(err error) string { return Flags(err.Error()) }

// Flags returns a text of the library with the flags of gfncp in place of the options of a file that it names.
func Flags(text string) string { return usererr.Renamed(text, flag) }

// AllFlags is Flags of each text. The list is never nil, so that JSON shows one.
func AllFlags(texts []string) []string { return append([]string{}, Each(texts, Flags)...) }

// flag is the flag of an option: --co-clustering sets CoClustering, and --k two options.
func flag(option string) string {
	switch option {
	case "Least", "Most":
		return "--k"
	case "LabelColumn":
		return "--labels"
	case "Aside":
		return "--given or --weights"
	}
	return "--" + usererr.Words(option, "-")
}
