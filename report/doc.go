// Package report turns results into things to read: tables (terminal, Markdown, CSV, LaTeX, JSON) and pictures of
// clusterings, learning curves and figures (SVG, PNG), and one HTML page of all results (Page).
//
// It renders and computes nothing: means, deviations, labels and probabilities arrive finished. The only arithmetic
// here is the difference of two given means and the projection of points onto a page (PCA2). Code that trains, decodes
// or evaluates does not belong here, nor does anything that knows flags or experiments.
//
// All output is deterministic: the same value gives the same bytes. Times enter only through Provenance.
package report
