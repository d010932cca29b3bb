package main

import (
	"runtime/debug"
	"strings"
)

// version names this build as the Go toolchain recorded it: "v1.2.3 0123456789ab+dirty, go1.26.5".
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return buildVersion(info)
}

// buildVersion writes the module's version, the commit if the version does not say it already, whether files had been
// changed since, and the version of Go. A build without a module version, as of `go run`, is called "development".
func buildVersion(info *debug.BuildInfo) string {
	v := info.Main.Version
	if v == "" || v == "(devel)" {
		v = "development"
	}
	if commit := buildSetting(info, "vcs.revision"); commit != "" && !strings.Contains(v, commit[:min(12, len(commit))]) {
		v += " " + commit[:min(12, len(commit))]
	}
	if buildSetting(info, "vcs.modified") == "true" && !strings.HasSuffix(v, "+dirty") {
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
