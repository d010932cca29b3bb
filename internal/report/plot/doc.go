// Package plot draws pictures as SVG and PNG: clusterings, learning curves and the figures of tables. Each picture also
// gives the data behind it (Records). Labels and probabilities arrive finished; the only arithmetic is binning and the
// projection of points onto a page (PCA2). The same picture gives the same bytes.
package plot
