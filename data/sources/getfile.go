package sources

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/usererr"
)

// GetFile downloads a single file of at most limit bytes to path, whose folder is made if need be. The content must
// have the SHA-256 sum, in hexadecimal; otherwise nothing is written. The file is there whole or not at all, even if
// GetFile is killed. A file that is there is replaced. Of the options Dir and Offline are not used. If ctx ends, the
// error wraps ctx.Err().
func GetFile(ctx context.Context, url, path, sum string, limit int64, o FetchOptions) error {
	o = o.filled()
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return usererr.File(folder, 0, "choose another folder with GFNCP_DATA", "the folder cannot be made: %v", err)
	}
	if err := atomicfile.CheckWritable(path); err != nil {
		return err
	}
	o.Say("fetching %s", url)
	body, err := o.get(ctx, url, limit)
	if ctxErr := ctx.Err(); ctxErr != nil {
		return fmt.Errorf("fetch %s: %w", url, ctxErr)
	}
	if err != nil {
		return fmt.Errorf("fetch %s: %w", url, err)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(body)); got != sum {
		return fmt.Errorf("fetch %s: its content has SHA-256 %s, not %s", url, got, sum)
	}
	if err := atomicfile.WriteFile(path, body, atomicfile.DefaultPerm); err != nil {
		return err
	}
	o.Say("wrote %s (%.1f MB)", path, float64(len(body))/1e6)
	return nil
}
