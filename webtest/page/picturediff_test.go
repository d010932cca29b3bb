package page

import (
	"image"
	"image/color"
	"image/draw"
	"testing"
)

// Pictures are alike where letters are drawn a little differently, and not where something is missing, moved or of
// another colour.
func TestDiffer(t *testing.T) {
	page := func(card image.Rectangle, c color.Color) *image.RGBA {
		m := image.NewRGBA(image.Rect(0, 0, 240, 240))
		draw.Draw(m, m.Bounds(), image.White, image.Point{}, draw.Src)
		draw.Draw(m, card, image.NewUniform(c), image.Point{}, draw.Src)
		return m
	}
	blue, card := color.RGBA{0, 90, 160, 255}, image.Rect(24, 24, 96, 72)
	kept := page(card, blue)
	for _, test := range []struct {
		name string
		got  image.Image
		same bool
	}{
		{"the same", page(card, blue), true},
		{"a pixel wider", page(card.Inset(-1), blue), true},
		{"moved", page(card.Add(image.Pt(60, 0)), blue), false},
		{"missing", page(image.Rectangle{}, blue), false},
		{"another colour", page(card, color.RGBA{160, 90, 0, 255}), false},
		{"another size", image.NewRGBA(image.Rect(0, 0, 240, 200)), false},
	} {
		if wrong := differ(test.got, kept); (wrong <= mostWrong) != test.same {
			t.Errorf("%s: %.3f of the blocks differ", test.name, wrong)
		}
	}
}
