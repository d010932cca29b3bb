//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package engine

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gomlx/go-xla/installer"
	"github.com/gomlx/go-xla/pjrt"
	"github.com/janpfeifer/must"
)

// release stands for github.com: it answers with what it publishes, and with an archive.
type release struct {
	archive []byte
	digest  string
	asked   int // how often for the archive
}

func (r *release) RoundTrip(request *http.Request) (*http.Response, error) {
	body := r.archive
	if request.URL.Host == "api.github.com" {
		name := fmt.Sprintf("pjrt_cpu_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
		body = must.M1(json.Marshal(map[string]any{"assets": []releaseFile{
			{"pjrt_cpu_plan9_mips.tar.gz", "https://github.com/other", "sha256:00"},
			{name, "https://github.com/releases/" + name, r.digest},
		}}))
	} else {
		r.asked++
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Request: request, Body: io.NopCloser(bytes.NewReader(body)),
	}, nil
}

// packedPlugin is an archive as the releases hold it, with a plugin of the given content.
func packedPlugin(content string) []byte {
	var b bytes.Buffer
	packed := gzip.NewWriter(&b)
	files := tar.NewWriter(packed)
	must.M(files.WriteHeader(&tar.Header{
		Name: "pjrt_c_api_cpu_" + pjrt.DefaultCPUVersion + "_plugin.so", Mode: 0o755, Size: int64(len(content)),
	}))
	must.M1(files.Write([]byte(content)))
	must.M(files.Close())
	must.M(packed.Close())
	return b.Bytes()
}

func published(archive []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(archive)) }

// The CPU plugin is installed if it is what github.com publishes, and else nothing is: neither another archive, nor one
// without a hash. A damaged one in the cache is fetched anew.
func TestInstallCPUChecksTheHash(t *testing.T) {
	good, other := packedPlugin("good"), packedPlugin("changed on the way")
	for name, c := range map[string]struct {
		sent   []byte
		digest string
		cached []byte // what lies in the installer's cache before
		want   string // of the error; empty: the plugin is installed
		asked  int
	}{
		"as published":          {sent: good, digest: published(good), asked: 1},
		"from the cache":        {sent: other, digest: published(good), cached: good},
		"damaged in the cache":  {sent: good, digest: published(good), cached: other, asked: 1},
		"another archive":       {sent: other, digest: published(good), asked: 1, want: "SHA256 hash mismatch"},
		"no hash":               {sent: good, want: "publishes no SHA-256"},
		"a hash of another law": {sent: good, digest: "sha512:00", want: "publishes no SHA-256"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			t.Setenv("HOME", t.TempDir())
			server, before := &release{archive: c.sent, digest: c.digest}, http.DefaultTransport
			http.DefaultTransport = server
			defer func() { http.DefaultTransport = before }()
			if c.cached != nil {
				path, _, err := installer.GetCachePath(fmt.Sprintf("%s_pjrt_cpu_%s_%s.tar.gz", pjrt.DefaultCPUVersion,
					runtime.GOOS, runtime.GOARCH))
				must.M(err)
				must.M(os.WriteFile(path, c.cached, 0o644))
			}
			folder := t.TempDir()
			err := installCPU(folder, installer.Quiet)
			content, _ := os.ReadFile(filepath.Join(folder, "pjrt_c_api_cpu_plugin.so"))
			switch {
			case c.want == "" && (err != nil || string(content) != "good"):
				t.Errorf("installed %q, %v", content, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || content != nil):
				t.Errorf("installed %q, %v; want %q", content, err, c.want)
			}
			if server.asked != c.asked {
				t.Errorf("the archive was fetched %d times, want %d", server.asked, c.asked)
			}
			if c.want == "" {
				http.DefaultTransport = nil // nothing more is asked for
				must.M(installCPU(folder, installer.Quiet))
			}
		})
	}
}
