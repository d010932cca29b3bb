package main

import (
	"cmp"
	"fmt"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/internal/engine/programs"
	"github.com/gfncp/gfncp/internal/report/table"
)

// provenance says when, from which commit and on which machine a result was made.
func provenance() table.Provenance {
	p := table.Provenance{
		Created: time.Now().UTC().Format(time.RFC3339), Machine: machine(),
		Commit: buildSetting(buildInfo(), "vcs.revision"),
	}
	if p.Commit == "" {
		p.Commit = gitCommit()
	}
	return p
}

// buildInfo returns the information that the Go toolchain wrote into the program.
func buildInfo() *debug.BuildInfo {
	info, _ := debug.ReadBuildInfo() // every program of a module has it
	return info
}

// version names this build: "0.1.0 0123456789ab+dirty, go1.27.3". The commit is there if the Go toolchain recorded it.
func version() string { return buildVersion(buildInfo()) }

// buildVersion writes the version, the commit where the Go toolchain recorded it, whether files had been changed since,
// and the version of Go.
func buildVersion(info *debug.BuildInfo) string {
	v := root.Version
	if commit := buildSetting(info, "vcs.revision"); commit != "" {
		v += " " + commit[:min(12, len(commit))]
	}
	if buildSetting(info, "vcs.modified") == "true" {
		v += "+dirty"
	}
	return v + ", " + info.GoVersion
}

func buildSetting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// machine names the processor, its cores and the system in one line.
func machine() string {
	processor := cmp.Or(programs.Processor()["model name"], "unknown processor")
	return fmt.Sprintf("%s, %d cores, %s/%s, %s", processor, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH,
		runtime.Version())
}

// gitCommit asks git for the commit of the working directory; `go run` records no commit in the binary.
func gitCommit() string {
	out, _ := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output()
	return strings.TrimSpace(string(out))
}
