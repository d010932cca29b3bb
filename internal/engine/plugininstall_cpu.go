//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package engine

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gomlx/go-xla/installer"
	"github.com/gomlx/go-xla/pjrt"
)

// installCPU downloads the CPU plugin into a folder. go-xla's installer checks no hash of it: so the archive is brought
// into the installer's own cache first, checked there against the SHA-256 that github.com publishes of it, and the
// installer unpacks what lies in the cache. An installed plugin stays as it is.
func installCPU(folder string, verbosity installer.VerbosityLevel) error {
	version := pjrt.DefaultCPUVersion
	if _, err := os.Stat(filepath.Join(folder, "pjrt_c_api_cpu_"+version+"_plugin.so")); err != nil {
		if err := fetchCPU(version, verbosity); err != nil {
			return err
		}
	}
	return installer.CPUAutoInstall(folder, true, verbosity)
}

// fetchCPU brings the checked archive of the CPU plugin into the installer's cache. One that is there and is not as
// published is fetched anew.
func fetchCPU(version string, verbosity installer.VerbosityLevel) error {
	archive, err := publishedCPU(version)
	if err != nil {
		return err
	}
	name := version + "_" + archive.Name // as the installer calls it
	path, cached, err := installer.GetCachePath(name)
	if err != nil {
		return err
	}
	_, _, err = installer.DownloadURLToTemp(archive.URL, name, archive.sha256(), true, verbosity)
	if err != nil && cached {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("remove a damaged download: %w", err)
		}
		_, _, err = installer.DownloadURLToTemp(archive.URL, name, archive.sha256(), true, verbosity)
	}
	return err
}

// releaseFile is what github.com says of a file of a release.
type releaseFile struct {
	Name   string `json:"name"`
	URL    string `json:"browser_download_url"`
	Digest string `json:"digest"` // "sha256:" and 64 hexadecimal digits
}

func (f releaseFile) sha256() string { return strings.TrimPrefix(f.Digest, "sha256:") }

// publishedCPU asks github.com for the archive of the CPU plugin for this kind of machine. One without a SHA-256 is an
// error.
func publishedCPU(version string) (releaseFile, error) {
	address := fmt.Sprintf("https://api.github.com/repos/%s/releases/tags/%s", installer.BinaryCPUReleasesRepo, version)
	var release struct {
		Assets []releaseFile `json:"assets"`
	}
	response, err := http.Get(address)
	if err != nil {
		return releaseFile{}, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return releaseFile{}, fmt.Errorf("%s answers %s", address, response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(&release); err != nil {
		return releaseFile{}, fmt.Errorf("read the answer of %s: %w", address, err)
	}
	want := fmt.Sprintf("pjrt_cpu_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
	for _, file := range release.Assets {
		if file.Name != want {
			continue
		}
		if !strings.HasPrefix(file.Digest, "sha256:") || len(file.sha256()) != 64 {
			return releaseFile{}, fmt.Errorf("%s publishes no SHA-256 of %s, so it is not installed", address, want)
		}
		return file, nil
	}
	return releaseFile{}, fmt.Errorf("release %s has no %s", version, want)
}
