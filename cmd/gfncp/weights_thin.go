//go:build thin

package main

import (
	"cmp"
	"os"

	root "github.com/gfncp/gfncp"
)

// A build with the tag thin holds no weights: it finds those of the checkout that it runs in, or of the folder in
// GFNCP_WEIGHTS.
func init() {
	root.Register(os.DirFS(cmp.Or(os.Getenv("GFNCP_WEIGHTS"), "pretrained/weights")))
}
