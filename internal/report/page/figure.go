package page

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"image/png"
	"math"
	"net/http"
	"strconv"
	"strings"
)

// figureView is a figure inside the page. An SVG is an image of its own there, so the names in one cannot meet those of
// another.
type figureView struct {
	Figure
	Source        template.URL
	Width, Height int // their ratio keeps the place while the picture is decoded
}

func newFigureView(f Figure) (v figureView, err error) {
	v.Figure = f
	kind := "image/svg+xml"
	if http.DetectContentType(f.Data) == "image/png" {
		kind = "image/png"
		v.Width, v.Height, err = sizeOfPNG(f.Data)
	} else {
		v.Width, v.Height, err = sizeOfSVG(f.Data)
	}
	v.Source = template.URL("data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(f.Data))
	return v, err
}

func sizeOfPNG(data []byte) (width, height int, err error) {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return 0, 0, fmt.Errorf("read the PNG: %w", err)
	}
	return c.Width, c.Height, nil
}

// sizeOfSVG returns the size of the viewBox, or else the width and height, of the root element.
func sizeOfSVG(data []byte) (width, height int, err error) {
	var root struct {
		XMLName xml.Name
		Width   string `xml:"width,attr"`
		Height  string `xml:"height,attr"`
		ViewBox string `xml:"viewBox,attr"`
	}
	if err := xml.NewDecoder(bytes.NewReader(data)).Decode(&root); err != nil {
		return 0, 0, fmt.Errorf("read the picture, which is no PNG, as SVG: %w", err)
	}
	size := []string{root.Width, root.Height}
	if box := strings.FieldsFunc(root.ViewBox, func(r rune) bool { return r == ' ' || r == ',' }); len(box) == 4 {
		size = box[2:]
	}
	width, height = length(size[0]), length(size[1])
	if root.XMLName.Local != "svg" || width < 1 || height < 1 {
		return 0, 0, errors.New("the picture is neither PNG nor an SVG with a size")
	}
	return width, height, nil
}

// length is the number of an SVG length, rounded; 0 if there is none.
func length(s string) int {
	x, err := strconv.ParseFloat(strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyz%"), 64)
	if err != nil || !(x < 1e6) {
		return 0
	}
	return int(math.Round(x))
}
