package vision

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/usererr"
)

// The published weights of DINO's ViT-S/16, 86.7 MB (Apache 2.0). Their checksum is not known to this program, so a download
// is confirmed by the user, who reads it on PublishedPage.
const (
	PublishedURL  = "https://huggingface.co/timm/vit_small_patch16_224.dino/resolve/main/model.safetensors"
	PublishedPage = "https://huggingface.co/timm/vit_small_patch16_224.dino/blob/main/model.safetensors"
)

// publishedLimit is more than the file can have: 4 bytes a weight, and names.
const publishedLimit = 90_000_000

// PublishedPath is where the published weights lie: dino/vit_small_patch16_224.dino.safetensors in the data folder. The file
// need not exist.
func PublishedPath() (string, error) {
	dir, err := sources.Dir()
	return filepath.Join(dir, "dino", "vit_small_patch16_224.dino.safetensors"), err
}

// Published returns the path of the published weights. If they are not there, they are downloaded, provided that
// sum, their SHA-256 as the user confirmed it, is not empty. A file that is
// there is compared with sum, unless sum is empty; a different one is a *usererr.Error and stays as it is.
func Published(ctx context.Context, sum string, o sources.FetchOptions) (string, error) {
	path, err := PublishedPath()
	if err != nil {
		return "", err
	}
	sum = strings.ToLower(sum)
	if raw, err := hex.DecodeString(sum); sum != "" && (err != nil || len(raw) != 32) {
		return "", usererr.New("give the 64 hexadecimal digits of "+PublishedPage, "--sha256 %q is no SHA-256", sum)
	}
	_, err = os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && sum == "":
		return "", usererr.New("read their SHA-256 on "+PublishedPage+" and give it as --sha256, which downloads them; or download "+
			PublishedURL+" yourself, into that place or anywhere with --weights FILE",
			"the weights of DINO ViT-S/16 are not there: no %s", path)
	case errors.Is(err, fs.ErrNotExist):
		return path, sources.GetFile(ctx, PublishedURL, path, sum, publishedLimit, o)
	case err != nil:
		return "", fmt.Errorf("look for weights: %w", err)
	case sum == "":
		return path, nil
	}
	got, err := hashFile(path)
	if err == nil && got != sum {
		err = usererr.File(path, 0, "give the right --sha256, or move the file away to download it anew", "has SHA-256 %s, not %s", got, sum)
	}
	return path, err
}
