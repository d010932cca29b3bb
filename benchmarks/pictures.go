package benchmarks

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/gfncp/gfncp/internal/report/plot"
)

// Pictures draws what the report holds into a folder, each picture as SVG and PNG, and returns the files:
// time-per-point (of one set, against N) and decoding (of batches, by model). A picture without results is left out.
func (r Report) Pictures(dir string) ([]string, error) {
	var paths []string
	save := func(name string, write func(path string) error) error {
		for _, ext := range []string{".svg", ".png"} {
			path := filepath.Join(dir, name+ext)
			if err := write(path); err != nil {
				return fmt.Errorf("draw %s: %w", name, err)
			}
			paths = append(paths, path)
		}
		return nil
	}
	if lines := r.timePerPoint(); len(lines.Series) > 0 {
		if err := save("time-per-point", lines.Save); err != nil {
			return paths, err
		}
	}
	if bars := r.decoding(); len(bars.Groups) > 0 {
		if err := save("decoding", bars.Save); err != nil {
			return paths, err
		}
	}
	return paths, nil
}

// where names backend and cores in a picture's title.
func (r Report) where() string {
	return fmt.Sprintf("%s backend, %d cores", r.Backend, cmp.Or(r.Processes, r.Cores))
}

// setNames tells how the decisions of a single set were taken.
var setNames = map[string]string{"one set": "true labels", "one set greedy": "greedy"}

func (r Report) timePerPoint() *plot.Curve {
	p := &plot.Curve{
		LogX: true, LogY: true, Title: "One set: time per point (" + r.where() + ")", XLabel: "points N",
		YLabel: "microseconds per point",
	}
	for _, result := range r.Results {
		policy, ok := setNames[result.Work]
		if !ok || result.Median <= 0 {
			continue
		}
		name := fmt.Sprintf("K = %d, %s", result.Clusters, policy)
		at := slices.IndexFunc(p.Series, func(s plot.Series) bool { return s.Name == name })
		if at < 0 {
			at = len(p.Series)
			p.Series = append(p.Series, plot.Series{Name: name})
		}
		p.Series[at].Steps = append(p.Series[at].Steps, result.Points)
		p.Series[at].Values = append(p.Series[at].Values, 1e6*result.Median/float64(result.Points))
	}
	return p
}

func (r Report) decoding() *plot.Bars {
	p := &plot.Bars{Title: "Decoding a batch (" + r.where() + ")", YLabel: "microseconds per point"}
	for _, result := range r.Results {
		if result.Group != "decode" {
			continue
		}
		label := result.Model
		if result.Weights == "initial" {
			label += " (untrained)"
		}
		group := slices.Index(p.Groups, label)
		if group < 0 {
			group = len(p.Groups)
			p.Groups = append(p.Groups, label)
		}
		name := fmt.Sprintf("B = %d, N = %d", result.Sets, result.Points)
		at := slices.IndexFunc(p.Series, func(s plot.BarSeries) bool { return s.Name == name })
		if at < 0 {
			at = len(p.Series)
			p.Series = append(p.Series, plot.BarSeries{Name: name})
		}
		s := &p.Series[at]
		for len(s.Values) < group { // this model was not measured on that batch
			s.Values = append(s.Values, 0)
		}
		s.Values = append(s.Values, 1e6*result.Median/float64(result.Sets*result.Points))
	}
	for i := range p.Series {
		for len(p.Series[i].Values) < len(p.Groups) {
			p.Series[i].Values = append(p.Series[i].Values, 0)
		}
	}
	return p
}
