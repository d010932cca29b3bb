// Package table holds results beside the paper's numbers (Table, Cell, Value, Provenance) and renders them: for a
// terminal, as Markdown, CSV, LaTeX and JSON. Write keeps a table with its figures in a folder.
//
// It renders and computes nothing: means and deviations arrive finished. The only arithmetic is the difference of two
// given means. The same table gives the same bytes; times enter only through Provenance.
package table
