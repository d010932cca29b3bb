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
	return table.Provenance{
		Created: time.Now().UTC().Format(time.RFC3339), Machine: machine(),
		Commit: cmp.Or(buildCommit(buildInfo()), gitCommit()),
	}
}

// buildInfo returns the information that the Go toolchain wrote into the program.
func buildInfo() *debug.BuildInfo {
	info, _ := debug.ReadBuildInfo() // every program of a module has it
	return info
}

// version names this build: "0.1.0 0123456789ab+dirty, go1.27.3". The commit is there if the Go toolchain recorded it.
func version() string { return buildVersion(buildInfo()) }

// buildVersion writes the version, the commit where the Go toolchain recorded it, and the version of Go.
func buildVersion(info *debug.BuildInfo) string {
	v := root.Version
	if commit := buildCommit(info); commit != "" {
		v += " " + commit
	}
	return v + ", " + info.GoVersion
}

// buildCommit returns the commit that the Go toolchain recorded, with "+dirty" if files had been changed since, or "".
func buildCommit(info *debug.BuildInfo) string {
	commit := buildSetting(info, "vcs.revision")
	commit = commit[:min(12, len(commit))]
	if commit != "" && buildSetting(info, "vcs.modified") == "true" {
		commit += "+dirty"
	}
	return commit
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

// gitCommit asks git for the commit of the working directory, in the form of buildCommit; `go run` records none.
func gitCommit() string {
	out, _ := exec.Command("git", "describe", "--always", "--exclude=*", "--abbrev=12", "--dirty=+dirty").Output()
	return strings.TrimSpace(string(out))
}
