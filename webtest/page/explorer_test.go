package page

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/report/explorer"
)

var (
	desk      = Screen{Width: 1280, Height: 1000}
	phone     = Screen{Width: 420, Height: 1000}
	darkPhone = Screen{Width: 420, Height: 1000, Dark: true}
)

// samplePage is three clusters in a row, of which the second and the third may be one; point 6 lies between the first
// two.
func samplePage() *explorer.Page {
	rng := rand.New(rand.NewPCG(1, 2))
	p := &explorer.Page{
		Title: "sample.csv", Subtitle: "Model m, seed 1.", Noun: "point", Place: "line", Estimate: "by hand",
		LogName: "log p", Notes: []string{"a note <b>"}, Heads: []string{"x", "=y", "kind"}, K: 3, Uncertain: 0.9,
		Drawn:     10,
		Posterior: []explorer.KProb{{K: 2, P: 0.3}, {K: 3, P: 0.6}, {K: 4, P: 0.1}},
		Prior: []explorer.KProb{
			{K: 1, P: 0.2}, {K: 2, P: 0.3}, {K: 3, P: 0.2}, {K: 4, P: 0.1}, {K: 5, P: 0.1},
		},
		Cells: make([][]string, 3), Together: &explorer.Together{},
	}
	second, third, fourth := explorer.Clustering{K: 3, LogProb: -10, Count: 6},
		explorer.Clustering{K: 2, LogProb: -11.5, Count: 3},
		explorer.Clustering{K: 4, LogProb: -14, Count: 1}
	for i := range 60 {
		k := i % 3
		x, y := float64(4*k)+rng.NormFloat64()*0.5, float64(k%2)+rng.NormFloat64()*0.3
		if i == 6 {
			x, y = 1.9, 0.5
		}
		p.Places, p.Labels = append(p.Places, i+2), append(p.Labels, int32(k))
		for j, cell := range []string{fmt.Sprintf("%.3f", x), fmt.Sprintf("%.3f", y), []string{"a", "b"}[i%2]} {
			p.Cells[j] = append(p.Cells[j], cell)
		}
		p.Plane = append(p.Plane, float32(x), float32(y))
		sure, rivals := 1.0, []float64{}
		if i == 6 {
			sure, rivals = 0.55, []float64{1, 0.4, 3, 0.05}
		}
		p.Probability, p.Rivals = append(p.Probability, sure), append(p.Rivals, rivals)
		two, one, new := int32(k), int32(min(k, 1)), int32(k)
		if i == 6 {
			two, new = 1, 3
		}
		second.Labels, third.Labels = append(second.Labels, two), append(third.Labels, one)
		if i == 7 {
			new = 3
		}
		fourth.Labels = append(fourth.Labels, new)
	}
	p.Clusterings = []explorer.Clustering{second, third, fourth}
	for k := range 3 {
		for i := k; i < 60; i += 3 {
			p.Together.Points = append(p.Together.Points, i)
		}
	}
	for _, i := range p.Together.Points {
		for _, j := range p.Together.Points {
			share := map[bool]float64{true: 1, false: 0}[i%3 == j%3]
			if i%3 > 0 && j%3 > 0 && i%3 != j%3 {
				share = 0.3
			}
			p.Together.Share = append(p.Together.Share, share)
		}
	}
	return p
}

// openExplorer saves a page and opens it from disk.
func openExplorer(t *testing.T, p *explorer.Page, s Screen) *Tab {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	must.M(p.Save(path))
	return Open(t, "file://"+path, s)
}

// placeOf is where the browser draws a point.
func placeOf(b *Tab, point int) Point {
	at := Value[[]float64](b, fmt.Sprintf(
		"(() => { const p = gfncp.plot.pixel(%d); return [p.x, p.y]; })()", point))
	return b.At("#points", at[0], at[1])
}

// The mouse on a point shows its row, its probability and its rivals, and a ring around it.
func TestHover(t *testing.T) {
	b := openExplorer(t, samplePage(), desk)
	if !Value[bool](b, "document.querySelector('#card').hidden") {
		t.Error("a card is shown before any point is pointed at")
	}
	inside(t, b)
	b.Hover(placeOf(b, 6))
	card := b.Text("#card")
	for _, want := range []string{"line 8", "x\n1.900", "cluster 0\n0.55", "cluster 1\n0.40", "another cluster\n0.05"} {
		if !strings.Contains(card, want) {
			t.Errorf("the card of point 6 lacks %q: %s", want, card)
		}
	}
	b.Hover(b.At("h1", 2, 2))
	b.Await("document.querySelector('#card').hidden && document.querySelector('#ring').hidden")
	b.Quiet()
}

// The slider goes through the clusterings; what changes is counted, marked and can be selected.
func TestSlider(t *testing.T) {
	b := openExplorer(t, samplePage(), desk)
	b.Focus("#which")
	b.Keys(kb.ArrowRight)
	b.Await("gfncp.state.at === 1 && document.querySelector('#moves').children.length === 2")
	if text := b.Text("#which-text"); !strings.Contains(text,
		"Number 1: 3 clusters, log p = -10.00, drawn 6 times of 10") {
		t.Error(text)
	}
	if moves := b.Text("#moves"); !strings.Contains(moves, "1 point from cluster 0 to cluster 1") {
		t.Error(moves)
	}
	marked := `gfncp.plot.chart.data.datasets.filter(d => d.borderColor === gfncp.color("mark"))
		.map(d => d.data.length)`
	if n := Value[[]int](b, marked); len(n) != 1 || n[0] != 1 {
		t.Errorf("%v points are marked", n)
	}
	b.Keys(kb.End)
	b.Await("gfncp.state.at === 3")
	if moves := b.Text("#moves"); !strings.Contains(moves, "1 point from cluster 0 to a new cluster 3") {
		t.Error(moves)
	}
	inside(t, b)
	b.Click("#pick-changed")
	if rows := b.Text("#rows"); !strings.Contains(rows, "1.900") || b.Text("#chosen") != "2 points" {
		t.Errorf("%s: %s", b.Text("#chosen"), rows)
	}
	b.Focus("#which")
	b.Keys(kb.Home)
	b.Await("gfncp.state.at === 0 && !document.querySelector('#moves').children.length")
	b.Quiet()
}

// inside fails the test if a point is outside the plot.
func inside(t *testing.T, b *Tab) {
	t.Helper()
	if outside := Value[[]int](b, `Array.from({ length: gfncp.data.n }, (_, i) => i).filter(i => {
		const { x, y } = gfncp.plot.pixel(i), area = gfncp.plot.chart.chartArea;
		return !(x >= area.left && x <= area.right && y >= area.top && y <= area.bottom);
	})`); len(outside) > 0 {
		t.Errorf("points %v are outside the plot", outside)
	}
}

// A click on the bar of a K, or on the button below it, shows the best clustering with that K.
func TestSizes(t *testing.T) {
	b := openExplorer(t, samplePage(), desk)
	at := Value[[]float64](b, `(() => { const c = gfncp.sizes.chart, bar = c.getDatasetMeta(1).data[gfncp.sizes.ks.indexOf(2)];
		return [bar.x, (bar.y + c.chartArea.bottom) / 2]; })()`)
	b.Press(b.At("#sizes", at[0], at[1]))
	b.Await("gfncp.state.at === 2 && gfncp.shown().k === 2")
	pressed := "[...document.querySelectorAll('#size-buttons [aria-pressed=true]')].map(b => b.textContent)"
	if now := Value[[]string](b, pressed); len(now) != 1 || now[0] != "2" {
		t.Errorf("the pressed buttons are %v", now)
	}
	if moves := b.Text("#moves"); !strings.Contains(moves, "20 points from cluster 2 to cluster 1") {
		t.Error(moves)
	}
	b.Focus("#size-buttons button:not(:disabled):nth-last-child(2)")
	b.Keys(kb.Enter)
	b.Await("gfncp.shown().k === 4")
	prior := Value[[]float64](b, "gfncp.sizes.chart.data.datasets[0].data")
	if fmt.Sprint(prior) != "[0.2 0.3 0.2 0.1 0.1]" {
		t.Errorf("the prior's line is %v", prior)
	}
	b.Quiet()
}

// Points are selected by a click, by a frame, by their cluster; their rows are listed and copied as the file has them.
func TestSelect(t *testing.T) {
	b := openExplorer(t, samplePage(), desk)
	b.Press(placeOf(b, 6))
	b.Await("gfncp.state.selected.size === 1 && gfncp.state.selected.has(6)")
	csv := Value[string](b, "gfncp.csv()")
	if csv != "line,x,'=y,kind,cluster,probability\n8,1.900,0.500,a,0,0.5500\n" {
		t.Errorf("the copied rows are %q", csv)
	}
	corner, end := placeOf(b, 6), placeOf(b, 6)
	corner.X, corner.Y, end.X, end.Y = corner.X-8, corner.Y-8, end.X+8, end.Y+8
	b.Keys(kb.Escape)
	b.Await("gfncp.state.selected.size === 0")
	b.Drag(corner, end)
	b.Await("gfncp.state.selected.has(6) && document.querySelector('#rubber').hidden")
	b.Click("#clusters li:nth-child(2) button")
	if text := b.Text("#chosen"); text != "20 points" {
		t.Errorf("a click on cluster 1 selects %s", text)
	}
	b.Do("navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }")
	b.Click("#copy")
	b.Await("document.querySelector('#copy').textContent === 'Copied 20 rows'")
	if lines := Value[int](b, "copied.split('\\n').length"); lines != 22 {
		t.Errorf("%d lines were copied", lines-1)
	}
	before := placeOf(b, 1)
	b.Click("#zoom")
	if after := placeOf(b, 1); after == before {
		t.Error("zooming moved nothing")
	}
	b.Click("#whole")
	b.Await("document.querySelector('#whole').disabled")
	inside(t, b)
	b.Quiet()
}

// Without a mouse: Tab reaches the plot, arrows go from point to point and are told aloud, Enter selects; the heat map
// and the axes have keys, too.
func TestKeysAlone(t *testing.T) {
	b := openExplorer(t, samplePage(), desk)
	for range 20 {
		b.Keys(kb.Tab)
		if Value[string](b, "document.activeElement.id") == "plot" {
			break
		}
	}
	b.Keys(kb.ArrowRight)
	first := Value[int](b, "gfncp.state.pointed")
	b.Keys(kb.ArrowRight)
	b.Await(fmt.Sprintf("gfncp.axes.x.values[gfncp.state.pointed] > gfncp.axes.x.values[%d]", first))
	if aloud := Value[string](b, "document.querySelector('#aloud').textContent"); !strings.Contains(aloud,
		"cluster 0 with 1") {
		t.Errorf("it says %q", aloud)
	}
	b.Keys(kb.Enter)
	b.Await("gfncp.state.selected.has(gfncp.state.pointed)")
	b.Focus("#together")
	b.Keys(kb.ArrowDown + kb.ArrowRight + kb.ArrowRight)
	if pair := b.Text("#pair"); !strings.Contains(pair, "line 5 (cluster 0) and line 8 (cluster 0): together in 1 of") {
		t.Error(pair)
	}
	b.Keys(kb.Enter)
	b.Await("gfncp.state.selected.size === 2")
	b.Focus("#y-axis")
	b.Keys("kind")
	b.Await("gfncp.axes.y.name === 'kind'")
	stops := Value[[]string](b, `[...document.querySelectorAll("button:not(:disabled), select, input, [tabindex]")]
		.filter(e => !e.getAttribute("aria-label") && !e.textContent.trim() && !e.labels?.length).map(e => e.id)`)
	if len(stops) > 0 {
		t.Errorf("nothing names %v", stops)
	}
	b.Quiet()
}

// The page looks as a person has seen it, on a desk and a phone, in light and dark, and is no wider than the window.
func TestExplorerLook(t *testing.T) {
	for _, s := range []Screen{
		desk,
		{Width: 1280, Height: 1000, Dark: true},
		phone,
		darkPhone,
	} {
		t.Run(s.Name(), func(t *testing.T) {
			b := openExplorer(t, samplePage(), s)
			b.Do("gfncp.show(3); gfncp.select([9, 12]); gfncp.point(6)")
			b.Fits()
			b.Compare("explorer", s)
			b.Do("gfncp.point(-1); document.querySelector('#sizes').scrollIntoView()")
			if s.Width < 500 {
				b.Compare("explorer-below", s)
			}
			b.Quiet()
		})
	}
}

// The theme may change while the page is open.
func TestTheme(t *testing.T) {
	b := openExplorer(t, samplePage(), desk)
	b.Theme(true)
	b.Await("gfncp.plot.chart.options.scales.x.title.color === gfncp.color('ink') && gfncp.color('page') === '#14161a'")
	b.Quiet()
}

// What users have in their files is text, whatever it looks like, and nothing is loaded.
func TestHostileTexts(t *testing.T) {
	p := samplePage()
	evil := `</script><script>window.broken=1</script><img src=x onerror="window.broken=1">`
	p.Title, p.Heads[0], p.Cells[2][6], p.Notes = evil, evil, evil, []string{evil}
	b := openExplorer(t, p, desk)
	b.Do("gfncp.select([6]); gfncp.point(6)")
	if Value[bool](b, "'broken' in window") || !strings.Contains(b.Text("#rows"), evil) {
		t.Error(b.Text("#rows"))
	}
	b.Do("try { await fetch('http://127.0.0.1:9/'); window.sent = 1; } catch {}")
	if said := strings.Join(b.Complaints(), "\n"); Value[bool](b, "'sent' in window") ||
		!strings.Contains(said, "Content Security Policy") {
		t.Errorf("a request went out, or for another reason did not: %s", said)
	}
	text := string(must.M1(os.ReadFile(savedAt(t, p))))
	for _, word := range []string{"src=\"http", "@import", "<link"} {
		if strings.Contains(text, word) {
			t.Errorf("the page holds %q", word)
		}
	}
}

func savedAt(t *testing.T, p *explorer.Page) string {
	path := filepath.Join(t.TempDir(), "page.html")
	must.M(p.Save(path))
	return path
}

// 20,000 points stay fluid: a redraw and the search for the nearest point are far below what a person waits for. The
// bounds leave room for a busy machine; the log has the times.
func TestTwentyThousand(t *testing.T) {
	const n = 20_000
	rng := rand.New(rand.NewPCG(3, 4))
	p := &explorer.Page{
		Title: "large.csv", Noun: "point", Place: "line", Estimate: "by hand", LogName: "log p", K: 12, Uncertain: 0.9,
		Drawn: 2, Posterior: []explorer.KProb{{K: 12, P: 1}}, Heads: []string{"x", "y"}, Cells: make([][]string, 2),
	}
	other := explorer.Clustering{K: 12, LogProb: -1, Count: 2}
	for i := range n {
		k := i % 12
		p.Places, p.Labels = append(p.Places, i+1), append(p.Labels, int32(k))
		other.Labels = append(other.Labels, int32((k+i%7/6)%12))
		p.Probability = append(p.Probability, 0.5+0.5*rng.Float64())
		p.Cells[0] = append(p.Cells[0], fmt.Sprintf("%.4f", 5*float64(k%4)+rng.NormFloat64()))
		p.Cells[1] = append(p.Cells[1], fmt.Sprintf("%.4f", 5*float64(k/4)+rng.NormFloat64()))
	}
	p.Clusterings = []explorer.Clustering{other}
	b := openExplorer(t, p, desk)
	times := Value[[]float64](b, `(() => {
		const median = f => { const all = Array.from({length: 9}, (_, i) => { const t = performance.now(); f(i);
			return performance.now() - t; }).sort((a, b) => a - b); return all[4]; };
		return [median(i => gfncp.show(i % 2)), median(i => gfncp.point(gfncp.plot.near(300 + i, 200))),
			median(i => gfncp.toggle(i))];
	})()`)
	t.Logf("20,000 points: another clustering %.0f ms, hover %.1f ms, select %.0f ms", times[0], times[1], times[2])
	if times[0] > 1500 || times[1] > 150 || times[2] > 1500 {
		t.Errorf("it takes %v ms", times)
	}
	b.Quiet()
}
