package sheet

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/text"
)

//go:embed sheet.html.tmpl
var sheetPage string

var sheetTemplate = template.Must(template.New("sheet").Funcs(template.FuncMap{
	"clean":       text.Clean,
	"cluster":     clusterText,
	"color":       colorClass,
	"probability": formatProbability,
	"barHeight":   func(p float64) int { return int(math.Round(85 * p)) },
}).Parse(sheetPage))

// htmlSheet is what the template shows beside the sheet and its plan. Texts are plain and escaped by it.
type htmlSheet struct {
	*Sheet
	*sheetPlan
	sprite         *sprite
	Title, Summary string
	Notes          []string
	Palette        []color.RGBA
	Sprite         template.CSS // url(…) of one PNG that holds every image shown
	Big, Small     htmlSize
	Fixed          any
}

// htmlSize is a size of images on the page, and of the sprite drawn so that they have it, in CSS pixels.
type htmlSize struct{ W, H, SpriteW, SpriteH int }

// htmlTile is an image: its column and row in the sprite and its tooltip.
type htmlTile struct {
	X, Y   int
	Marked bool
	Tip    string
}

// html draws the sheet as one page that needs no other file.
func (s *Sheet) html() ([]byte, error) {
	plan := s.fittingPlan()
	sp := newSprite(s, plan)
	url, err := sp.url()
	if err != nil {
		return nil, fmt.Errorf("encode images of the sheet: %w", err)
	}
	var b bytes.Buffer
	if err := sheetTemplate.Execute(&b, &htmlSheet{
		Sheet: s, sheetPlan: plan, sprite: sp, Title: s.titleText(), Summary: s.summaryText(plan), Notes: s.noteTexts(),
		Palette: canvas.Palette, Sprite: url, Big: sp.shownAs(canvas.BlockTile(s.Height, s.Width)),
		Small: sp.shownAs(canvas.RowTile(s.Height, s.Width)), Fixed: fixed,
	}); err != nil {
		return nil, fmt.Errorf("write sheet: %w", err)
	}
	return b.Bytes(), nil
}

// Place finds an image in the sprite.
func (p *htmlSheet) Place(image int, marked bool) htmlTile {
	place := p.sprite.at[image]
	return htmlTile{place % p.sprite.columns, place / p.sprite.columns, marked, p.tip(image)}
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
	if tile := canvas.BlockTile(s.Height, s.Width); tile.X < s.Width || tile.Y < s.Height {
		sp.size = tile
	}
	add := func(i int) {
		if _, ok := sp.at[i]; !ok {
			sp.at[i] = len(sp.images)
			sp.images = append(sp.images, i)
		}
	}
	for _, g := range append([]grouping{plan.Point}, plan.Others...) {
		for _, b := range g.Blocks {
			for _, t := range b.Tiles {
				add(t.Image)
			}
		}
	}
	for _, i := range plan.Doubtful() {
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

// tip is the tooltip of an image.
func (s *Sheet) tip(i int) string {
	words := fmt.Sprintf("%s · %s · probability %s", s.NameOf(i), clusterText(s.Labels[i]),
		formatProbability(s.Probability[i]))
	if s.Truth != nil {
		words += " · known: " + text.Clean(s.Truth[i])
	}
	return words
}
