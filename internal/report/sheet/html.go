package sheet

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	"image/draw"
	"image/png"
	"math"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/text"
)

//go:embed sheet.html.tmpl
var sheetPage string

var sheetTemplate = template.Must(template.New("sheet").Parse(sheetPage))

// htmlSheet is what the template shows. Texts are plain and escaped by it.
type htmlSheet struct {
	Title, Subtitle, Summary string
	Notes                    []string
	BarsTitle, BarsNote      string
	Bars                     []htmlBar
	MoreBars                 string
	Colors                   []template.CSS
	Sprite                   template.CSS // url(…) of one PNG that holds every image shown
	Big, Small               htmlSize
	Marks                    bool
	UncertainText            string
	Blocks                   []htmlBlock
	MoreClusters             string
	OthersTitle              string
	DiffersText              string
	MatchingText             string
	Others                   []htmlOther
	Doubtful                 []htmlDoubt
	DoubtfulText             string
}

// htmlSize is a size of images on the page, and of the sprite drawn so that they have it, in CSS pixels.
type htmlSize struct{ W, H, SpriteW, SpriteH int }

type htmlBar struct {
	K        int
	Text     string
	Height   int  // of the bar
	Estimate bool // K of the point estimate
}

type htmlBlock struct {
	Color         string // class of the style sheet
	Name, Details string
	Tiles         []htmlTile
	More          string
}

// htmlTile is an image: its column and row in the sprite and its tooltip.
type htmlTile struct {
	X, Y   int
	Marked bool
	Tip    string
}

type htmlOther struct {
	Rank         int
	Heading      string
	Blocks       []htmlBlock
	MoreClusters string
}

type htmlDoubt struct {
	Tile                       htmlTile
	Color                      string
	Name, P, Cluster, TrueName string
}

// html draws the sheet as one page that needs no other file.
func (s *Sheet) html() ([]byte, error) {
	plan := s.fittingPlan()
	sp := newSprite(s, plan)
	url, err := sp.url()
	if err != nil {
		return nil, fmt.Errorf("encode images of the sheet: %w", err)
	}
	page := &htmlSheet{
		Title: s.titleText(), Subtitle: text.Clean(s.Subtitle), Summary: s.summaryText(plan), Notes: s.noteTexts(),
		BarsTitle: barsTitle, BarsNote: barsNote(plan), MoreBars: moreBarsText(plan.moreBars),
		Sprite: url,
		Big: sp.shownAs(s.tileSize(canvas.BlockSide,
			canvas.BlockSideLimit)), Small: sp.shownAs(s.tileSize(canvas.RowSide, canvas.RowSideLimit)),
		Marks: len(plan.unsure) > 0, UncertainText: uncertainText, DiffersText: differsText, MatchingText: matchingText,
		Blocks: sp.pointBlocks(plan), MoreClusters: moreClustersText(&plan.point),
		OthersTitle: alternativesTitle(len(plan.others)),
		Others:      sp.others(plan),
		Doubtful:    sp.doubtful(plan),
	}
	if more := len(plan.unsure) - len(page.Doubtful); more > 0 {
		page.DoubtfulText = fmt.Sprintf("The first %d of %s.", len(page.Doubtful),
			text.Plural(len(plan.unsure), "uncertain image"))
	}
	for _, q := range plan.bars {
		page.Bars = append(page.Bars, htmlBar{q.K, formatProbability(q.P), int(math.Round(85 * q.P)), q.K == plan.point.k})
	}
	for k := range canvas.Palette {
		c := canvas.Color(k)
		page.Colors = append(page.Colors, template.CSS(fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B)))
	}
	var b bytes.Buffer
	if err := sheetTemplate.Execute(&b, page); err != nil {
		return nil, fmt.Errorf("write sheet: %w", err)
	}
	return b.Bytes(), nil
}

// sprite is one picture with all images that a page shows, each once, in rows of columns.
type sprite struct {
	sheet   *Sheet
	size    image.Point // of an image in it: as given, or shrunk to the limit of a block
	columns int
	images  []int
	at      map[int]int // image → place in images
}

func newSprite(s *Sheet, plan *sheetPlan) *sprite {
	sp := &sprite{sheet: s, size: image.Pt(s.Width, s.Height), at: map[int]int{}}
	if max(s.Width, s.Height) > canvas.BlockSideLimit {
		sp.size = s.tileSize(canvas.BlockSide, canvas.BlockSideLimit)
	}
	add := func(i int) {
		if _, ok := sp.at[i]; !ok {
			sp.at[i] = len(sp.images)
			sp.images = append(sp.images, i)
		}
	}
	for _, g := range append([]grouping{plan.point}, plan.others...) {
		for _, b := range g.blocks {
			for _, t := range b.tiles {
				add(t.image)
			}
		}
	}
	for _, i := range plan.unsure[:min(len(plan.unsure), maxDoubtful)] {
		add(i)
	}
	area := float64(len(sp.images)*sp.size.Y) / float64(sp.size.X)
	sp.columns = max(1, min(len(sp.images), int(math.Ceil(math.Sqrt(area))))) // about square
	return sp
}

func (sp *sprite) rows() int { return canvas.LinesFor(len(sp.images), sp.columns) }

// url encodes the sprite for a style sheet.
func (sp *sprite) url() (template.CSS, error) {
	img := image.NewGray(image.Rect(0, 0, sp.columns*sp.size.X, sp.rows()*sp.size.Y))
	for place, i := range sp.images {
		corner := image.Pt(place%sp.columns*sp.size.X, place/sp.columns*sp.size.Y)
		at := image.Rectangle{Max: sp.size}.Add(corner)
		draw.Draw(img, at, sp.sheet.picture(i, sp.size), image.Point{}, draw.Src)
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&b, img); err != nil {
		return "", err
	}
	return template.CSS("url(data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes()) + ")"), nil
}

// shownAs scales the sprite so that its images have a size.
func (sp *sprite) shownAs(size image.Point) htmlSize {
	return htmlSize{size.X, size.Y, size.X * sp.columns, size.Y * sp.rows()}
}

func (sp *sprite) tile(t tile, tip string) htmlTile {
	place := sp.at[t.image]
	return htmlTile{place % sp.columns, place / sp.columns, t.marked, tip}
}

// tip is the tooltip of an image.
func (s *Sheet) tip(i int) string {
	words := fmt.Sprintf("%s · %s · probability %s", s.nameOf(i), clusterText(int(s.Labels[i])),
		formatProbability(s.Probability[i]))
	if s.Truth != nil {
		words += " · known: " + text.Clean(s.Truth[i])
	}
	return words
}

func (sp *sprite) pointBlocks(plan *sheetPlan) []htmlBlock {
	classes := sp.sheet.classTexts()
	var out []htmlBlock
	for i := range plan.point.blocks {
		b := &plan.point.blocks[i]
		out = append(out, sp.block(b, sp.sheet.details(b, classes), "uncertain"))
	}
	return out
}

// block lays out one cluster; what names a marked image.
func (sp *sprite) block(b *block, details, what string) htmlBlock {
	h := htmlBlock{Color: colorClass(b.label), Name: clusterText(b.label), Details: details, More: moreText(b, what)}
	for _, t := range b.tiles {
		h.Tiles = append(h.Tiles, sp.tile(t, sp.sheet.tip(t.image)))
	}
	return h
}

func (sp *sprite) others(plan *sheetPlan) []htmlOther {
	var out []htmlOther
	for i := range plan.others {
		g := &plan.others[i]
		o := htmlOther{Rank: i + 1, Heading: alternativeText(&sp.sheet.Alternatives[i], g), MoreClusters: moreClustersText(g)}
		for j := range g.blocks {
			o.Blocks = append(o.Blocks, sp.block(&g.blocks[j], text.Number(g.blocks[j].images), "differ"))
		}
		out = append(out, o)
	}
	return out
}

// doubtful lists the most uncertain images, the most uncertain first.
func (sp *sprite) doubtful(plan *sheetPlan) []htmlDoubt {
	s := sp.sheet
	var out []htmlDoubt
	for _, i := range plan.unsure[:min(len(plan.unsure), maxDoubtful)] {
		d := htmlDoubt{
			Tile: sp.tile(tile{image: i}, s.tip(i)), Color: colorClass(int(s.Labels[i])),
			Name: s.nameOf(i), P: formatProbability(s.Probability[i]), Cluster: clusterText(int(s.Labels[i])),
		}
		if s.Truth != nil {
			d.TrueName = text.Clean(s.Truth[i])
		}
		out = append(out, d)
	}
	return out
}
