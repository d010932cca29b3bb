// Package weights holds the models of the paper's tables, 36 MB, for Go programs that want them inside:
//
//	gfncp.Register(weights.Files)
//
// It is a module of its own, so that nobody else downloads it.
package weights

import "embed"

// Files are the models, NAME.safetensors each.
//
//go:embed *.safetensors
var Files embed.FS
