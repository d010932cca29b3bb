package canvas

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/usererr"
)

func TestRenderCatchesPanics(t *testing.T) {
	s := Sketch{Width: 10, Height: 10, DPI: 72, Draw: func(draw.Canvas) { panic("broken") }}
	for _, ext := range Extensions() {
		if _, err := s.Render(ext); err == nil || !strings.Contains(err.Error(), "broken") {
			t.Errorf("%s: %v", ext, err)
		}
	}
	if _, err := s.Render("gif"); err == nil {
		t.Error("a format that is not there is no error")
	}
}

// A text of an SVG has the length that it is drawn with, in whatever font a reader has.
func TestTextLength(t *testing.T) {
	face := font.DefaultCache.Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, 12)
	s := Sketch{Width: 100, Height: 100, DPI: 72, Draw: func(c draw.Canvas) {
		c.FillString(face, vg.Point{}, "a <text")
		c.FillString(face, vg.Point{}, "")
		c.FillString(face, vg.Point{}, "wider words")
	}}
	svg, err := s.Render("svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"a <text", "wider words"} {
		want := fmt.Sprintf("textLength=\"%.5g\"", face.Width(words).Points())
		if !strings.Contains(string(svg), want) {
			t.Errorf("%q has no %s in\n%s", words, want, svg)
		}
	}
}

func TestSaveTakesTheFormatOfTheName(t *testing.T) {
	extensions, render := []string{"one", "two"},
		func(extension string) ([]byte, error) { return []byte(extension), nil }
	path := filepath.Join(t.TempDir(), "x.TWO")
	if err := Save(path, "picture", extensions, render); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "two" {
		t.Errorf("%q, %v", data, err)
	}
	if err := Save("x.three", "picture", extensions, render); !usererr.Is(err) ||
		!strings.Contains(err.Error(), ".one or .two") {
		t.Errorf("an unknown format: %v", err)
	}
}
