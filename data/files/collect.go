package files

import (
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
)

// collector gathers pictures into a pool.
type collector struct {
	path string // the file or folder, for messages
	o    Options
	want Size // of the pool's images; set by the first one if the options leave it open
	x    []float32
	in   *Input
}

func newCollector(path, kind string, o Options) *collector {
	return &collector{path: path, o: o, want: Size{o.Height, o.Width}, in: &Input{Kind: kind, NameColumn: "image"}}
}

// add appends a picture.
func (c *collector) add(name string, p picture) error {
	conv := &c.in.Images
	if len(c.in.Names) == 0 {
		conv.Smallest, conv.Largest = p.size, p.size
		if c.want == (Size{}) {
			c.want = p.size
		}
	}
	if p.size != c.want && c.o.Height == 0 {
		return usererr.File(c.path, 0, "choose a size for all", "%s has %s pixels, but %s has %s", name, p.size, c.in.Names[0], c.want)
	}
	if (len(c.in.Names)+1)*c.want.pixels() > maxValues {
		return usererr.File(c.path, 0, "choose a smaller size or fewer images", "the images have more than %d pixels together", maxValues)
	}
	if p.size.pixels() < conv.Smallest.pixels() {
		conv.Smallest = p.size
	}
	if p.size.pixels() > conv.Largest.pixels() {
		conv.Largest = p.size
	}
	if p.size != c.want {
		conv.Resized++
	}
	if p.colour {
		conv.Colour++
	}
	if p.alpha {
		conv.Alpha++
	}
	c.in.Names = append(c.in.Names, name)
	c.x = append(c.x, p.fit(c.want).pix...)
	return nil
}

// finish inverts the images if need be and returns them, without labels.
func (c *collector) finish() *Input {
	conv := &c.in.Images
	conv.Border = c.meanBorder()
	if c.o.Invert == "yes" || (c.o.Invert != "no" && conv.Border > 0.5) {
		conv.Inverted = true
		for i, v := range c.x {
			c.x[i] = 1 - v
		}
	}
	c.in.Pool = &data.Pool{X: c.x, D: c.want.pixels(), Height: c.want.Height, Width: c.want.Width}
	return c.in
}

// meanBorder is the mean of all border pixels of all images.
func (c *collector) meanBorder() float64 {
	sum, n := 0.0, 0
	var border []float32
	for at := 0; at < len(c.x); at += c.want.pixels() {
		border = picture{size: c.want, pix: c.x[at : at+c.want.pixels()]}.border(border[:0])
		for _, v := range border {
			sum += float64(v)
		}
		n += len(border)
	}
	return sum / float64(n)
}
