package pretrained

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
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
// good file that is there is kept, a damaged one replaced; a download that broke off is continued by the next Fetch. A
// fault of the user or of the server is a *usererr.Error. If ctx ends, the error wraps ctx.Err().
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
	if err := download.CheckPlace(path, "choose another folder with "+Env+" or --to"); err != nil {
		return err
	}
	if at, err := url.Parse(o.From); err == nil && (at.Scheme == "http" || at.Scheme == "https") {
		return o.download(ctx, strings.TrimSuffix(o.From, "/")+"/"+file, path)
	}
	content, err := fileio.ReadFile(filepath.Join(o.From, file))
	if err != nil {
		return err
	}
	if !isPublished(file, content) {
		return damaged(filepath.Join(o.From, file))
	}
	if err := atomicfile.WriteFile(path, content, atomicfile.DefaultPerm); err != nil {
		return err
	}
	o.Say("wrote %s (%.1f MB)", path, float64(len(content))/1e6)
	return nil
}

func damaged(from string) error {
	return usererr.File(from, 0, "take the weights of gfncp "+gfncp.Version+" (--from)",
		"is not the published file: its SHA-256 differs")
}

// download fetches the file at an address to path. It writes to a file path.part, which the next try continues.
func (o FetchOptions) download(ctx context.Context, address, path string) error {
	o.Say("fetching %s", address)
	part := path + ".part"
	to, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, atomicfile.DefaultPerm)
	if err != nil {
		return fileio.OpenFault(part, err)
	}
	defer func() { _ = to.Close() }()
	have, err := to.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	err = download.Get(ctx, download.DefaultStall, address, have, largest, func(from int64) (io.Writer, error) {
		if from > 0 {
			o.Say("continued after %.1f MB", float64(from)/1e6)
		}
		if err := to.Truncate(from); err != nil {
			return nil, err
		}
		_, err := to.Seek(from, io.SeekStart)
		return to, err
	})
	content, fault := fileio.ReadFile(part)
	switch {
	case fault == nil && isPublished(filepath.Base(path), content): // despite an error: it may have been whole before
		if err := to.Close(); err != nil {
			return err
		}
		if err := os.Rename(part, path); err != nil {
			return err
		}
		o.Say("wrote %s", path)
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("fetch %s: %w", address, ctx.Err())
	case err != nil:
		return usererr.File(address, 0, "try again, which continues, or give a folder or another address with --from",
			"does not come: %v", err)
	}
	_ = to.Close()
	return errors.Join(damaged(address), os.Remove(part))
}

// isPublished reports whether content is that of a published file.
func isPublished(file string, content []byte) bool {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]) == published[file]
}
