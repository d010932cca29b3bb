package pretrained

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"strings"

	"github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/internal/download"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Release is the address of this version's files.
const Release = "https://github.com/gfncp/gfncp/releases/download/v"

// largest bounds the size of a file of weights, in bytes.
const largest = 64 << 20

// FetchOptions says how Fetch works. The zero value fetches this version's weights from its release into Folder().
type FetchOptions struct {
	From string                           // a folder, or the address before "/NAME.safetensors"; "" is the release
	To   string                           // the folder for the weights; "" is Folder()
	Say  func(format string, args ...any) // if not nil, called with each line of progress
}

// Fetch copies or downloads models by name, or all of Names() without names, and checks each against its SHA-256. A
// good file that is there is kept, a damaged one replaced. A fault of the user or of the server is a *usererr.Error. If
// ctx ends, the error wraps ctx.Err().
func Fetch(ctx context.Context, names []string, o FetchOptions) (err error) {
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	if o.From == "" {
		o.From = Release + gfncp.Version
	}
	if o.To == "" {
		if o.To, err = Folder(); err != nil {
			return err
		}
	}
	if len(names) == 0 {
		names = Names()
	}
	for _, name := range names {
		if _, known := published[name+ending]; !known {
			return unknown(name)
		}
	}
	for _, name := range names {
		if err := o.fetch(ctx, name+ending); err != nil {
			return err
		}
	}
	return nil
}

func unknown(name string) error {
	if _, err := embedded.Open("embedded/" + name + ending); err == nil {
		return usererr.New("leave it out", "%s is inside the program", name)
	}
	return usererr.Unknown(name, Names(), "no pretrained model is called %q", name)
}

func (o FetchOptions) fetch(ctx context.Context, file string) error {
	path := filepath.Join(o.To, file)
	if content, err := fileio.ReadFile(path); err == nil && isPublished(file, content) {
		o.Say("%s is there already", path)
		return nil
	}
	return download.Fetch(ctx, download.File{
		Path: path, Addresses: []string{strings.TrimSuffix(o.From, "/") + "/" + file}, Limit: largest, Say: o.Say,
		Check: func(content []byte) error {
			if !isPublished(file, content) {
				return errors.New("it is not the file of gfncp " + gfncp.Version + ": its SHA-256 differs")
			}
			return nil
		},
		DirHint: "choose another folder with " + Env + " or --to",
		Hint:    "try again, or give a folder or another address with --from",
	})
}

// isPublished reports whether content is that of a published file.
func isPublished(file string, content []byte) bool {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]) == published[file]
}
