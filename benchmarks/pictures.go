package benchmarks

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/text"
)

// Pictures draws what the report holds into a folder, each picture as SVG and PNG, and returns the files:
// time-per-point (of one set, against N) and decoding (of batches, by model). A picture without results is left out.
func (r Report) Pictures(dir string) (paths []string, err error) {
	lines, bars := r.timePerPoint(), r.decoding()
	for _, picture := range []struct {
		name  string
		empty bool
		save  func(path string) error
	}{
		{"time-per-point", len(lines.Series) == 0, lines.Save},
		{"decoding", len(bars.Groups) == 0, bars.Save},
	} {
		if picture.empty {
			continue
		}
		for _, ext := range []string{".svg", ".png"} {
			path := filepath.Join(dir, picture.name+ext)
			if err := picture.save(path); err != nil {
				return paths, fmt.Errorf("draw %s: %w", picture.name, err)
			}
			paths = append(paths, path)
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
	var batches []string
	values := map[[2]string]float64{} // by batch and model; 0 where a model was not measured
	for _, result := range r.Results {
		if result.Group != "decode" {
			continue
		}
		label := result.Model
		if result.Weights == "initial" {
			label += " (untrained)"
		}
		p.Groups = text.AppendNew(p.Groups, label)
		batch := fmt.Sprintf("B = %d, N = %d", result.Sets, result.Points)
		batches = text.AppendNew(batches, batch)
		values[[2]string{batch, label}] = 1e6 * result.Median / float64(result.Sets*result.Points)
	}
	for _, batch := range batches {
		s := plot.BarSeries{Name: batch}
		for _, label := range p.Groups {
			s.Values = append(s.Values, values[[2]string{batch, label}])
		}
		p.Series = append(p.Series, s)
	}
	return p
}
