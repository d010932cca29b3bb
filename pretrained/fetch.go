package pretrained

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/internal/atomicfile"
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
	if err := atomicfile.MakeDir(o.To, "choose another folder with "+Env+" or --to"); err != nil {
		return err
	}
	from, content, err := o.read(ctx, file)
	if err != nil {
		return err
	}
	if !isPublished(file, content) {
		return damaged(from)
	}
	if err := atomicfile.WriteFile(path, content, atomicfile.DefaultPerm); err != nil {
		return err
	}
	o.Say("wrote %s (%.1f MB)", path, float64(len(content))/1e6)
	return nil
}

// read returns the content of a file in the folder or at the address o.From, and where it is from.
func (o FetchOptions) read(ctx context.Context, file string) (from string, content []byte, err error) {
	at, err := url.Parse(o.From)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" {
		from = filepath.Join(o.From, file)
		content, err = fileio.ReadFile(from)
		return from, content, err
	}
	from = strings.TrimSuffix(o.From, "/") + "/" + file
	o.Say("fetching %s", from)
	content, err = download.Get(ctx, download.DefaultStall, from, largest)
	switch {
	case ctx.Err() != nil:
		err = fmt.Errorf("fetch %s: %w", from, ctx.Err())
	case err != nil:
		err = usererr.File(from, 0, "try again, or give a folder or another address with --from",
			"does not come: %v", err)
	}
	return from, content, err
}

func damaged(from string) error {
	return usererr.File(from, 0, "take the weights of gfncp "+gfncp.Version+" (--from)",
		"is not the published file: its SHA-256 differs")
}

// isPublished reports whether content is that of a published file.
func isPublished(file string, content []byte) bool {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]) == published[file]
}
