package canvas

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
