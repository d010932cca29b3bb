package plot

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
)

// drawPoints draws a partial clustering in a box: numbered points, those of a cluster joined through their mean.
func (l *dagLayout) drawPoints(b canvas.Board, x, y vg.Length, labels []int32) {
	b.Fill(b.Rectangle(x, y, l.glyph, l.glyph), color.White)
	b.Stroke(b.Rectangle(x, y, l.glyph, l.glyph), draw.LineStyle{Color: canvas.AxisGrey, Width: 0.8})
	radius := l.glyph * 0.115
	at := l.pointsIn(x, y, radius)
	for i, label := range labels {
		if label < 0 {
			continue
		}
		mean := clusterMean(at, labels, label)
		tint := canvas.Lighten(canvas.Color(int(label)), 0.35)
		line := draw.LineStyle{Color: tint, Width: radius * 0.7}
		b.C.StrokeLines(line, []vg.Point{b.At(mean.X, mean.Y), b.At(at[i].X, at[i].Y)})
	}
	digit := canvas.Style(radius*1.35, true, color.White)
	digit.XAlign = draw.XCenter
	for i, label := range labels {
		ink := color.Color(canvas.AxisGrey)
		circle := canvas.ShapePath(0, radius, b.At(at[i].X, at[i].Y))
		if label < 0 {
			b.Fill(circle, color.White)
			b.Stroke(circle, draw.LineStyle{Color: canvas.AxisGrey, Width: 0.8})
		} else {
			b.Fill(circle, canvas.Color(int(label)))
			ink = inkOn(canvas.Color(int(label)))
		}
		digit.Color = ink
		b.Text(digit, at[i].X, at[i].Y-digit.Font.Size*0.64, strconv.Itoa(i+1))
	}
}

// pointsIn places the points in a glyph's box, with one scale for both axes and the second axis upward.
func (l *dagLayout) pointsIn(x, y, radius vg.Length) []vg.Point {
	p := l.dag.Points
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i, v := range p {
		low[i%2], high[i%2] = min(low[i%2], float64(v)), max(high[i%2], float64(v))
	}
	span := max(high[0]-low[0], high[1]-low[1])
	if span == 0 {
		span = 1
	}
	scale := (l.glyph - 2*radius - 6) / vg.Length(span)
	var at []vg.Point
	for i := range len(p) / 2 {
		at = append(at, vg.Point{
			X: x + l.glyph/2 + scale*vg.Length(float64(p[2*i])-(low[0]+high[0])/2),
			Y: y + l.glyph/2 - scale*vg.Length(float64(p[2*i+1])-(low[1]+high[1])/2),
		})
	}
	return at
}

// clusterMean is the mean of the places of a cluster that has some.
func clusterMean(at []vg.Point, labels []int32, cluster int32) (mean vg.Point) {
	count := vg.Length(0)
	for i, k := range labels {
		if k == cluster {
			mean.X, mean.Y = mean.X+at[i].X, mean.Y+at[i].Y
			count++
		}
	}
	return vg.Point{X: mean.X / count, Y: mean.Y / count}
}

// inkOn is black or white, whichever can be read on a colour.
func inkOn(c color.RGBA) color.Color {
	if 0.299*float64(c.R)+0.587*float64(c.G)+0.114*float64(c.B) > 140 {
		return color.Black
	}
	return color.White
}
