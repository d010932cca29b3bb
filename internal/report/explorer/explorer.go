// Package explorer writes a clustering as one HTML page to look around in: points with their probabilities, the most
// probable clusterings, P(K), how often two points are together. It computes nothing. The page's own files are in
// page/; the charts are Chart.js's (internal/web).
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
	"image/png"
	"io"
	"math"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/web"
)

// Page is a clustering of N points. Labels number clusters from 0; K stands for "another cluster". The page's scripts
// read its JSON.
type Page struct {
	Title, Subtitle string   `json:"-"`
	Noun            string   `json:"noun"`    // of a point: "point" or "image"
	Place           string   `json:"place"`   // unit of Places: "line", "point" or "image"
	Estimate        string   `json:"-"`       // how the labels were chosen
	LogName         string   `json:"logName"` // name of the log-probabilities of clusterings
	Notes           []string `json:"-"`       // how the points were changed or left out, and reasons for doubt

	Places []int      `json:"places"`           // [N] where each point stands in the input
	Names  []string   `json:"names,omitempty"`  // [N] name of each, or nil
	Known  []string   `json:"known,omitempty"`  // [N] the known class of each, or nil
	Heads  []string   `json:"heads"`            // [C] names of the columns, nil for images
	Cells  [][]string `json:"cells"`            // [C][N] the columns' cells as they stand in the input
	Plane  Floats     `json:"plane,omitempty"`  // [N,2] principal components; nil: the first two columns
	Images *Images    `json:"sprite,omitempty"` // nil for points

	Labels      Labels         `json:"labels"`           // [N] the point estimate
	K           int            `json:"k"`                // its number of clusters
	Probability Shares[uint16] `json:"probability"`      // [N] of each point's own cluster
	Rivals      [][]float64    `json:"rivals,omitempty"` // [N][cluster, probability, …], or nil
	Uncertain   float64        `json:"uncertain"`        // probability below which a point is drawn hollow

	Posterior   []KProb      `json:"posterior"`          // P(K), K rising
	Prior       []KProb      `json:"prior,omitempty"`    // likewise; nil: no prior
	Drawn       int          `json:"drawn"`              // samples behind the probabilities
	Clusterings []Clustering `json:"clusterings"`        // the most probable ones, best first
	Members     []int        `json:"members,omitempty"`  // [M] the points of Clusterings and Together, rising; nil: all
	Together    *Together    `json:"together,omitempty"` // nil: not known
}

// KProb is the probability P of K clusters.
type KProb struct {
	K int     `json:"k"`
	P float64 `json:"p"`
}

// Clustering is a sampled clustering, labelled as the matching clusters of the estimate; labels from K on have no
// match.
type Clustering struct {
	Labels  Labels  `json:"labels"` // [M], or [N] without Members
	K       int     `json:"k"`
	LogProb float64 `json:"logProb"`
	Count   int     `json:"count"` // how often it was drawn
}

// Together is how often two points share a cluster.
type Together struct {
	Points []int         `json:"points"` // [H] in the order of the rows
	Share  Shares[uint8] `json:"share"`  // [H,H]
}

// Images are the pictures of the points. Their JSON is one picture of all, in rows of a number of columns.
type Images struct {
	Pixels        []float32 // [N,Height·Width] row-major, 0 black to 1 white
	Height, Width int
}

// Numbers in bulk. Their JSON is packed (pack), which is a third of their text.
type (
	Floats                   []float32
	Labels                   []int32   // as uint16
	Shares[T uint8 | uint16] []float64 // in 0 … 1, as whole numbers up to the largest T
)

// Save writes the page to path; the file is replaced as a whole. Errors as for HTML.
func (p *Page) Save(path string) error { return atomicfile.Write(path, p.HTML) }

// HTML writes the page. The same page gives the same bytes. It fails on more clusters than 16 bits can number.
func (p *Page) HTML(w io.Writer) error {
	if p.K > math.MaxUint16 {
		return fmt.Errorf("explorer: %d clusters, at most %d can be shown", p.K, math.MaxUint16)
	}
	encoded, err := json.Marshal(p.data()) // it escapes <, > and &, so nothing ends the element
	if err != nil {
		return fmt.Errorf("write the explorer's data: %w", err)
	}
	var elements []template.HTML
	for _, source := range scripts {
		elements = append(elements, web.Element(source))
	}
	found := text.Count(len(p.Labels), p.Noun) + " in " + text.Count(p.K, "cluster")
	err = pageTemplate.Execute(w, map[string]any{
		"Title": text.Clean(p.Title), "Subtitle": text.Clean(p.Subtitle), "Summary": found + " (" + p.Estimate + ")",
		"Notes": text.CleanAll(p.Notes), "Policy": web.Policy(scripts),
		"Style": template.CSS(web.Style + own("page.css")), "Scripts": elements,
		"Data": template.HTML(`<script type="application/json" id="data">` + string(encoded) + `</script>`),
	})
	if err != nil {
		return fmt.Errorf("write the explorer: %w", err)
	}
	return nil
}

//go:embed page
var page embed.FS

func own(name string) string { return web.Own(page, name) }

// scripts are the page's scripts, in the order in which they run.
var scripts = []string{
	web.Chart, web.Common, own("data.js"), own("plot.js"), own("clusterings.js"), own("sizes.js"), own("together.js"),
	own("selection.js"), own("pointer.js"), own("start.js"),
}

var pageTemplate = template.Must(template.New("explorer").Parse(own("page.html.tmpl")))

// pageData is the JSON in the page: the page with clean texts, and further values for the scripts.
type pageData struct {
	Page
	N       int      `json:"n"`
	Palette []string `json:"palette"`
}

func (p *Page) data() *pageData {
	d := &pageData{Page: *p, N: len(p.Labels)}
	d.Names, d.Known, d.Heads = text.CleanAll(p.Names), text.CleanAll(p.Known), text.CleanAll(p.Heads)
	d.Cells = make([][]string, len(p.Cells))
	for j, column := range p.Cells {
		d.Cells[j] = text.CleanAll(column)
	}
	d.Clusterings = append([]Clustering{}, p.Clusterings...) // never null
	for _, c := range figure.Palette {
		d.Palette = append(d.Palette, fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B))
	}
	return d
}

// pack is base64 of little-endian values.
func pack(values any) ([]byte, error) {
	raw, err := binary.Append(nil, binary.LittleEndian, values)
	return base64.StdEncoding.AppendEncode(nil, raw), err
}

func (f Floats) MarshalText() ([]byte, error) { return pack([]float32(f)) }

func (l Labels) MarshalText() ([]byte, error) {
	out := make([]uint16, len(l))
	for i, v := range l {
		out[i] = uint16(v)
	}
	return pack(out)
}

func (s Shares[T]) MarshalText() ([]byte, error) {
	most := float64(^T(0))
	out := make([]T, len(s))
	for i, v := range s {
		out[i] = T(math.Round(most * min(1, max(0, v))))
	}
	return pack(out)
}

// MarshalJSON draws all images into one picture, about square.
func (m *Images) MarshalJSON() ([]byte, error) {
	n := len(m.Pixels) / (m.Height * m.Width)
	columns := max(1, int(math.Ceil(math.Sqrt(float64(n*m.Height)/float64(m.Width)))))
	img := image.NewGray(image.Rect(0, 0, columns*m.Width, (n+columns-1)/columns*m.Height))
	for i := range n {
		left, top := i%columns*m.Width, i/columns*m.Height
		for j, v := range m.Pixels[i*m.Height*m.Width : (i+1)*m.Height*m.Width] {
			img.SetGray(left+j%m.Width, top+j/m.Width, figure.Grey(v))
		}
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("encode the explorer's images: %w", err)
	}
	url := "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
	return json.Marshal(map[string]any{"url": url, "width": m.Width, "height": m.Height, "columns": columns})
}
