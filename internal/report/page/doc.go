// Package page writes one HTML file of all results: tables, figures, learning curves and the environment.
package page
