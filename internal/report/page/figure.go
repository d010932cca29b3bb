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

	"github.com/gfncp/gfncp/internal/text"
)

// figureView is a figure inside the page. An SVG is an image of its own there, so the names in one cannot meet those of
// another.
type figureView struct {
	Caption, Alt  string
	Source        template.URL
	Width, Height int // their ratio keeps the place while the picture is decoded
	Files         []Link
}

func newFigureView(f Figure) (figureView, error) {
	v := figureView{Caption: text.Clean(f.Caption), Files: cleanLinks(f.Files)}
	if v.Alt = v.Caption; v.Alt == "" {
		v.Alt = text.Clean(f.Name)
	}
	var kind string
	var err error
	if http.DetectContentType(f.Data) == "image/png" {
		kind = "image/png"
		v.Width, v.Height, err = sizeOfPNG(f.Data)
	} else {
		kind = "image/svg+xml"
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
	decoder := xml.NewDecoder(bytes.NewReader(data))
	for {
		token, err := decoder.Token()
		if err != nil {
			return 0, 0, fmt.Errorf("read the picture, which is no PNG, as SVG: %w", err)
		}
		root, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		attributes := map[string]string{}
		for _, a := range root.Attr {
			attributes[a.Name.Local] = a.Value
		}
		size := []string{attributes["width"], attributes["height"]}
		if box := strings.FieldsFunc(attributes["viewBox"], func(r rune) bool { return r == ' ' || r == ',' }); len(box) == 4 {
			size = box[2:]
		}
		w, h := length(size[0]), length(size[1])
		if root.Name.Local != "svg" || w < 1 || h < 1 {
			return 0, 0, errors.New("the picture is neither PNG nor an SVG with a size")
		}
		return w, h, nil
	}
}

// length is the number of an SVG length, rounded; 0 if there is none.
func length(s string) int {
	x, err := strconv.ParseFloat(strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyz%"), 64)
	if err != nil || !(x < 1e6) {
		return 0
	}
	return int(math.Round(x))
}
