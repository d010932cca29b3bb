package files

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
)

// Size is an image's size in pixels.
type Size struct{ Height, Width int }

// pixels is the number of pixels.
func (s Size) pixels() int { return s.Height * s.Width }

// String writes height×width.
func (s Size) String() string { return fmt.Sprintf("%d×%d", s.Height, s.Width) }

// Conversion says what Open found and what it did to make a pool of it.
type Conversion struct {
	// Kind is what was found: "folder of images", "IDX images", "NumPy images", "NumPy vectors", "NumPy archive", "safetensors",
	// "Parquet table" or "table".
	Kind string
	// Names [M] are the points' names: a file's path in the folder with slashes, or "0", "1", … for arrays and tables.
	Names []string

	// Smallest and Largest are the smallest and the largest size found, by the number of pixels. Zero for vectors.
	Smallest, Largest Size
	// Size is the size of the images in the pool. Zero for vectors.
	Size Size
	// Resized, Colour and Alpha count the images that were scaled, had colours, and had transparent pixels.
	Resized, Colour, Alpha int
	// Border is the mean of all border pixels, in 0..1, before inversion. Inverted tells whether x became 1 − x.
	Border   float64
	Inverted bool
	// Divided tells whether values 0..255 of an array were divided by 255; otherwise they were 0..1 already.
	Divided bool

	// Skipped are the files of a folder that are neither PNG nor JPEG by name; hidden files are not counted.
	Skipped []string
	// Labels says where the labels came from; empty if there are none.
	Labels string
	// Warnings are what may surprise the user, a line each.
	Warnings []string
}

// The kinds whose parts have names.
const (
	kindArchive = "NumPy archive"
	kindTensors = "safetensors"
	kindParquet = "Parquet table"
	kindTable   = "table"
)

// HasColumns reports whether the file has columns or arrays with names, so that Options.Table chose among them.
func (c *Conversion) HasColumns() bool {
	return slices.Contains([]string{kindArchive, kindTensors, kindParquet, kindTable}, c.Kind)
}

// HasHeader reports whether the file is text whose first line may hold names.
func (c *Conversion) HasHeader() bool { return c.Kind == kindTable }

// Notes tells a person what was done, a line each.
func (c *Conversion) Notes() []string {
	notes := []string{fmt.Sprintf("%s: %s", c.Kind, text.Count(len(c.Names), "point"))}
	if c.Size != (Size{}) {
		notes[0] = fmt.Sprintf("%s: %s of %s pixels", c.Kind, text.Count(len(c.Names), "image"), c.found())
	}
	add := func(when bool, format string, args ...any) {
		if when {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	add(c.Resized > 0, "%s scaled to %s pixels", text.Count(c.Resized, "image"), c.Size)
	add(c.Colour > 0, "%s turned to grey (Rec. 601 luma)", text.Count(c.Colour, "colour image"))
	add(c.Alpha > 0, "%s laid over white", text.Count(c.Alpha, "image with transparent pixels", "images with transparent pixels"))
	add(c.Divided, "values 0..255 divided by 255")
	add(c.Inverted, "images inverted: the models expect bright strokes on a dark background (mean of the borders before: %.2f)", c.Border)
	add(c.Labels != "", "labels from %s", c.Labels)
	if n := len(c.Skipped); n > 0 {
		shown := strings.Join(c.Skipped[:min(n, 3)], ", ")
		if n > 3 {
			shown += ", …"
		}
		add(true, "%s skipped: %s", text.Count(n, "other file"), shown)
	}
	return append(notes, c.Warnings...)
}

// found writes the sizes that were found.
func (c *Conversion) found() string {
	if c.Smallest == c.Largest {
		return c.Smallest.String()
	}
	return fmt.Sprintf("%s to %s", c.Smallest, c.Largest)
}
