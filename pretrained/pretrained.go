// Package pretrained brings the project's trained weights, 40 MB, into a program that imports it for that effect alone:
//
//	import _ "github.com/gfncp/gfncp/pretrained"
//
// Then gfncp.Open finds them by name ("mog-gfncp"), gfncp.Models lists them, and gfncp.Find reads their model cards:
// what each was trained on, for how long, and what it reaches.
package pretrained

import (
	"embed"
	"io/fs"

	"github.com/gfncp/gfncp"
)

//go:embed weights/*.safetensors
var weights embed.FS

func init() {
	folder, err := fs.Sub(weights, "weights")
	if err != nil {
		panic(err) // "weights" is a valid path
	}
	gfncp.Register(folder)
}
