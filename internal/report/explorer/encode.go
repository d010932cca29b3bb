package explorer

import (
	"bytes"
	"embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"image/png"
	"math"

	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/web"
)

//go:embed page
var page embed.FS

// own is the text of a file of the page's.
func own(name string) string {
	text, err := page.ReadFile("page/" + name)
	if err != nil {
		panic(err) // it is embedded: a test sees it
	}
	return string(text)
}

// scripts are those of the page, in the order in which they run.
var scripts = []string{
	web.Chart, web.Common, own("data.js"), own("plot.js"), own("clusterings.js"), own("sizes.js"), own("together.js"),
	own("selection.js"), own("pointer.js"), own("start.js"),
}

var pageTemplate = template.Must(template.New("explorer").Parse(own("page.html.tmpl")))

// pageView is what the template shows.
type pageView struct {
	Title, Subtitle, Summary string
	Notes                    []string
	Policy                   string
	Style                    template.CSS
	Scripts                  []template.HTML
	Data                     template.HTML // a script element of JSON
}

func (p *Page) view() (*pageView, error) {
	data, err := p.data()
	if err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(data) // it escapes <, > and &, so nothing ends the element
	if err != nil {
		return nil, fmt.Errorf("write the explorer's data: %w", err)
	}
	v := &pageView{
		Title: text.Clean(p.Title), Subtitle: text.Clean(p.Subtitle), Summary: p.summary(),
		Notes: text.CleanAll(p.Notes), Policy: web.Policy(scripts), Style: template.CSS(web.Style + own("page.css")),
		Data: template.HTML(`<script type="application/json" id="data">` + string(encoded) + `</script>`),
	}
	for _, source := range scripts {
		v.Scripts = append(v.Scripts, web.Element(source))
	}
	return v, nil
}

// pageData is the JSON in the page. Numbers in bulk are base64 of little-endian values, which is a third of their text.
type pageData struct {
	Noun        string           `json:"noun"`
	Place       string           `json:"place"`
	LogName     string           `json:"logName"`
	N           int              `json:"n"`
	K           int              `json:"k"`
	Drawn       int              `json:"drawn"`
	Uncertain   float64          `json:"uncertain"`
	Palette     []string         `json:"palette"`
	Places      []int            `json:"places"`
	Names       []string         `json:"names,omitempty"`
	Known       []string         `json:"known,omitempty"`
	Heads       []string         `json:"heads"`
	Cells       [][]string       `json:"cells"`
	Plane       string           `json:"plane,omitempty"`  // float32
	Labels      string           `json:"labels"`           // uint16
	Probability string           `json:"probability"`      // uint16, of 65535
	Rivals      [][]float64      `json:"rivals,omitempty"` // cluster, probability, cluster, …
	Posterior   []KProb          `json:"posterior"`
	Prior       []KProb          `json:"prior,omitempty"`
	Clusterings []clusteringData `json:"clusterings"`
	Members     []int            `json:"members,omitempty"`
	Together    *togetherData    `json:"together,omitempty"`
	Sprite      *spriteData      `json:"sprite,omitempty"`
}

type clusteringData struct {
	Labels  string  `json:"labels"` // uint16
	K       int     `json:"k"`
	LogProb float64 `json:"logProb"`
	Count   int     `json:"count"`
}

type togetherData struct {
	Points []int  `json:"points"`
	Share  string `json:"share"` // uint8, of 255
}

// spriteData is one picture with all images, in rows of Columns.
type spriteData struct {
	URL     string `json:"url"`
	Width   int    `json:"width"` // of an image
	Height  int    `json:"height"`
	Columns int    `json:"columns"`
}

func (p *Page) data() (*pageData, error) {
	d := &pageData{
		Noun: p.Noun, Place: p.Place, LogName: p.LogName, N: len(p.Labels), K: p.K, Drawn: p.Drawn,
		Uncertain: p.Uncertain, Places: p.Places, Names: text.CleanAll(p.Names), Known: text.CleanAll(p.Known),
		Heads: text.CleanAll(p.Heads), Cells: [][]string{}, Labels: packLabels(p.Labels),
		Probability: packShares[uint16](p.Probability, math.MaxUint16), Posterior: p.Posterior, Prior: p.Prior,
		Clusterings: []clusteringData{}, Members: p.Members,
	}
	for _, c := range figure.Palette {
		d.Palette = append(d.Palette, fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B))
	}
	for _, column := range p.Cells {
		d.Cells = append(d.Cells, text.CleanAll(column))
	}
	if p.Plane != nil {
		d.Plane = pack(p.Plane)
	}
	for _, rivals := range p.Rivals {
		row := []float64{}
		for _, r := range rivals {
			row = append(row, float64(r.Cluster), math.Round(r.P*1e4)/1e4)
		}
		d.Rivals = append(d.Rivals, row)
	}
	for _, c := range p.Clusterings {
		d.Clusterings = append(d.Clusterings, clusteringData{packLabels(c.Labels), c.K, c.LogProb, c.Count})
	}
	if t := p.Together; t != nil {
		d.Together = &togetherData{t.Points, packShares[uint8](t.Share, math.MaxUint8)}
	}
	if p.Images == nil {
		return d, nil
	}
	var err error
	d.Sprite, err = p.Images.sprite(len(p.Labels))
	return d, err
}

// pack is base64 of little-endian values.
func pack(values any) string {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, values); err != nil {
		panic(err) // only values of no fixed size, which are not given
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func packLabels(labels []int32) string {
	out := make([]uint16, len(labels))
	for i, v := range labels {
		out[i] = uint16(v)
	}
	return pack(out)
}

// packShares packs values in 0 … 1 as whole numbers up to most.
func packShares[T uint8 | uint16](shares []float64, most float64) string {
	out := make([]T, len(shares))
	for i, v := range shares {
		out[i] = T(math.Round(most * min(1, max(0, v))))
	}
	return pack(out)
}

// sprite draws all n images into one picture, about square.
func (m *Images) sprite(n int) (*spriteData, error) {
	columns := max(1, int(math.Ceil(math.Sqrt(float64(n*m.Height)/float64(m.Width)))))
	img := image.NewGray(image.Rect(0, 0, columns*m.Width, (n+columns-1)/columns*m.Height))
	for i := range n {
		left, top := i%columns*m.Width, i/columns*m.Height
		for j, v := range m.Pixels[i*m.Height*m.Width : (i+1)*m.Height*m.Width] {
			grey := uint8(math.Round(255 * float64(min(max(v, 0), 1))))
			img.SetGray(left+j%m.Width, top+j/m.Width, color.Gray{Y: grey})
		}
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("encode the explorer's images: %w", err)
	}
	url := "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
	return &spriteData{url, m.Width, m.Height, columns}, nil
}
