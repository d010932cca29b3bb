package pretrained_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// Model files that were written before the keys net.encoder and data.source existed mean vectors and mixtures. A file
// that was rebuilt since is left out (train, TestOldRunResumes, makes an old one itself).
func TestOldFilesLoad(t *testing.T) {
	for _, name := range []string{"mog-gfncp", "mog-ncp"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("weights", name+".safetensors")
			text := must.M1(safetensors.ReadFile(path)).Metadata["gfncp.config"]
			if strings.Contains(text, "encoder") || strings.Contains(text, "source") {
				t.Skip("it was written with the new keys")
			}
			c := must.M1(train.ReadModel(path)).Config
			if c.Net.Encoder != models.EncoderMLP || c.Data.Source != data.SourceMoG || c.Validate() != nil {
				t.Errorf("encoder %q, source %q, %v", c.Net.Encoder, c.Data.Source, c.Validate())
			}
			if again := must.M1(train.ParseConfig("c.toml", []byte(c.String()), train.Config{})); again != c {
				t.Errorf("written anew, its config is %+v, want %+v", again, c)
			}
		})
	}
}
