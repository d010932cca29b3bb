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

// Page is a clustering of N points. Labels number clusters from 0; K stands for "another cluster".
type Page struct {
	Title, Subtitle string
	Noun            string   // of a point: "point" or "image"
	Place           string   // of what Places counts: "line", "point" or "image"
	Estimate        string   // how the labels were chosen
	LogName         string   // what the log-probabilities of clusterings are of
	Notes           []string // what was done, what is left out, and what may make the result unreliable

	Places []int      // [N] where each point stands in the input
	Names  []string   // [N] what each is called, or nil
	Known  []string   // [N] the known class of each, or nil
	Heads  []string   // [C] names of the columns, nil for images
	Cells  [][]string // [C][N] the columns' cells as they stand in the input
	Plane  []float32  // [N,2] principal components, or nil: the first two columns are the plane
	Images *Images    // nil for points

	Labels      []int32   // [N] the point estimate
	K           int       // its number of clusters
	Probability []float64 // [N] of each point's own cluster, in 0 … 1
	Rivals      [][]Rival // [N] the other clusters of each point, the most probable first; nil: not known
	Uncertain   float64   // probability below which a point is drawn hollow

	Posterior, Prior []KProb      // P(K), K rising; no prior: nil
	Drawn            int          // samples behind the probabilities; 0: none
	Clusterings      []Clustering // the most probable ones, best first
	Members          []int        // [M] the points that Clusterings and Together are of, rising; nil: all
	Together         *Together    // nil: not known
}

// Rival is a cluster that a point may belong to instead, and the probability of that.
type Rival struct {
	Cluster int
	P       float64
}

// KProb is the probability P of K clusters.
type KProb struct {
	K int     `json:"k"`
	P float64 `json:"p"`
}

// Clustering is a sampled clustering, labelled as the matching clusters of the estimate; labels from K on have no
// match.
type Clustering struct {
	Labels  []int32 // [M], or [N] without Members
	K       int
	LogProb float64
	Count   int // how often it was drawn
}

// Together is how often two points share a cluster.
type Together struct {
	Points []int     // [H] in the order of the rows
	Share  []float64 // [H,H] in 0 … 1
}

// Images are the pictures of the points.
type Images struct {
	Pixels        []float32 // [N,Height·Width] row-major, 0 black to 1 white
	Height, Width int
}

// Save writes the page to path; the file is replaced as a whole. Errors as for HTML.
func (p *Page) Save(path string) error { return atomicfile.Write(path, p.HTML) }

// HTML writes the page. The same page gives the same bytes. It fails on more clusters than 16 bits can number.
func (p *Page) HTML(w io.Writer) error {
	if p.K > math.MaxUint16 {
		return fmt.Errorf("explorer: %d clusters, at most %d can be shown", p.K, math.MaxUint16)
	}
	view, err := p.view()
	if err != nil {
		return err
	}
	if err := pageTemplate.Execute(w, view); err != nil {
		return fmt.Errorf("write the explorer: %w", err)
	}
	return nil
}

// summary is the page in one sentence.
func (p *Page) summary() string {
	return fmt.Sprintf("%s in %s (%s)", text.Count(len(p.Labels), p.Noun), text.Count(p.K, "cluster"), p.Estimate)
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
			img.SetGray(left+j%m.Width, top+j/m.Width, figure.Grey(v))
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
