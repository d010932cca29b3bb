//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package pjrtapi

// AheadKey is for tests, which cannot describe a processor to its plugin as a GPU is described.
var AheadKey = aheadKey
