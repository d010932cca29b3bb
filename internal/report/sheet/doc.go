// Package sheet shows a clustering of images, to be looked at: as one PNG or one HTML page.
package sheet
