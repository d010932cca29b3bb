// Package canvas is the drawing layer of all pictures: one typeface, one palette, glyphs of clusters, images as tiles,
// and a board on which y runs downward, above gonum's vg/draw.
package canvas
