package plot

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/report/table"
)

// ContactSheet is a picture of many small clusterings, each with its title and no axes: the points alone, each set on a
// scale of its own.
type ContactSheet struct {
	Title  string
	Panels []Clustering // their labels of axes are not written
}

// sheetColumns is the number of panels in a row.
const sheetColumns = 6

// Save writes the picture to path: see Curve.Save.
func (p *ContactSheet) Save(path string) error { return save(p, path) }

// Records has one row a point: panel, x, y, label.
func (p *ContactSheet) Records() *table.Records {
	r := &table.Records{Columns: []string{"panel", "x", "y", "label"}}
	for _, panel := range p.Panels {
		for i, label := range panel.Labels {
			x, y := rounded(panel.X[2*i]), rounded(panel.X[2*i+1])
			r.Rows = append(r.Rows, []any{panel.Title, x, y, int(label)})
		}
	}
	return r
}

func rounded(v float32) float64 { return math.Round(1e3*float64(v)) / 1e3 }

func (p *ContactSheet) check() error {
	f := canvas.Faults{Kind: "contact sheet:"}
	f.Demand(len(p.Panels) > 0, "nothing to draw")
	for i := range p.Panels {
		if err := p.Panels[i].check(); err != nil {
			return err
		}
	}
	return f.First
}

func (p *ContactSheet) rows() int { return (len(p.Panels) + sheetColumns - 1) / sheetColumns }

// height keeps the panels about square.
func (p *ContactSheet) height() vg.Length {
	return multipleHead + vg.Length(p.rows())*(canvas.Width/sheetColumns+sheetCaption)
}

// sheetCaption is the room above a panel for its title.
const sheetCaption vg.Length = 10

func (p *ContactSheet) draw(c draw.Canvas) {
	tiles := draw.Tiles{Cols: sheetColumns, Rows: p.rows(), PadX: panelGap / 2, PadY: panelGap / 2}
	c = drawTitle(c, p.Title)
	for i := range p.Panels {
		panel := p.Panels[i]
		panel.shrunk = true
		pl := newPlot(panel.Title, "", "")
		pl.Title.TextStyle.Font = canvas.Font(8)
		pl.Title.Padding = 0
		pl.HideAxes()
		area := tiles.At(c, i%sheetColumns, i/sheetColumns)
		pl.Add(&panel)
		equalAspect(pl, area)
		pl.Draw(area)
	}
}
