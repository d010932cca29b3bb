package benchmarks

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/text"
)

// Pictures draws what the report holds into a folder, each picture as SVG and PNG, and returns the files:
// time-per-point (of one set, against N) and decoding (of batches, by model). A picture without results is left out.
func (r Report) Pictures(dir string) (paths []string, err error) {
	lines, bars := r.timePerPoint(), r.decoding()
	for _, picture := range []struct {
		name  string
		chart *figure.Chart
	}{{"time-per-point", lines}, {"decoding", bars}} {
		if len(picture.chart.Series()) == 0 {
			continue
		}
		for _, ext := range []string{".svg", ".png"} {
			path := filepath.Join(dir, picture.name+ext)
			if err := plot.Save(picture.chart, path); err != nil {
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

func (r Report) timePerPoint() *figure.Chart {
	p := figure.NewChart("One set: time per point ("+r.where()+")", "points N", "microseconds per point")
	p.Panels[0].LogX, p.Panels[0].LogY = true, true
	for _, result := range r.Results {
		policy, ok := setNames[result.Work]
		if !ok || result.Median <= 0 {
			continue
		}
		name := fmt.Sprintf("K = %d, %s", result.Clusters, policy)
		s := seriesOf(p, figure.Series{Name: name, Mark: figure.Dotted})
		s.X = append(s.X, float64(result.Points))
		s.Y = append(s.Y, 1e6*result.Median/float64(result.Points))
	}
	return p
}

// seriesOf returns the series of a name, a new one if there is none.
func seriesOf(p *figure.Chart, fresh figure.Series) *figure.Series {
	at := slices.IndexFunc(p.Series(), func(s figure.Series) bool { return s.Name == fresh.Name })
	if at < 0 {
		at = len(p.Series())
		p.Add(fresh)
	}
	return &p.Series()[at]
}

func (r Report) decoding() *figure.Chart {
	p := figure.NewChart("Decoding a batch ("+r.where()+")", "", "microseconds per point")
	places := &p.Panels[0].Places
	for _, result := range r.Results {
		if result.Group != "decode" {
			continue
		}
		label := result.Model
		if result.Weights == "initial" {
			label += " (untrained)"
		}
		*places = text.AppendNew(*places, label)
		batch := fmt.Sprintf("B = %d, N = %d", result.Sets, result.Points)
		s := seriesOf(p, figure.Series{Name: batch, Mark: figure.Dots})
		s.X = append(s.X, float64(slices.Index(*places, label)))
		s.Y = append(s.Y, 1e6*result.Median/float64(result.Sets*result.Points))
	}
	return p
}
