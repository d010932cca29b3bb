//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/gomlx/go-xla/pjrt"

	"github.com/gfncp/gfncp/internal/engine/pjrtapi"
)

// probeEnv tells a copy of the program to try the plugin in a file.
const probeEnv = "GFNCP_PROBE_PLUGIN"

// probed is what a plugin says of itself, or why it cannot be used.
type probed struct{ API, Platform, Fault string }

// AnswerProbe tries a plugin, prints what it says and ends the process, if that is what this process was started for.
// A program that installs plugins calls it first in main.
func AnswerProbe() {
	path := os.Getenv(probeEnv)
	if path == "" {
		return
	}
	var answer probed
	err := Try(func() (err error) {
		answer, err = ask(path)
		return err
	})
	if err != nil {
		answer.Fault = err.Error()
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// ask loads a plugin. For CUDA that is all, since a card may be missing here; others start and name their platform.
func ask(path string) (probed, error) {
	found, err := pjrtapi.Prepare(path)
	answer := probed{API: found.String(), Platform: platformOf(path)}
	if err != nil || answer.Platform == "cuda" {
		return answer, err
	}
	plugin, err := pjrt.GetPlugin(path)
	if err != nil {
		return answer, err
	}
	client, err := plugin.NewClient(nil)
	if err != nil {
		return answer, err
	}
	answer.Platform = client.Platform()
	return answer, client.Destroy()
}

// probe tries a plugin in a process of its own: one that is damaged may end the process that loads it.
func probe(path string) (probed, error) {
	self, err := os.Executable()
	if err != nil {
		return probed{}, fmt.Errorf("start this program anew: %w", err)
	}
	child := exec.Command(self)
	child.Env = append(os.Environ(), probeEnv+"="+path)
	var said strings.Builder
	child.Stderr = &said
	out, err := child.Output()
	var answer probed
	if err == nil {
		err = json.Unmarshal(out, &answer)
	}
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return answer, fmt.Errorf("the process that loads it ends (%w): %s", err, first)
	}
	return answer, errorOf(answer.Fault)
}

// errorOf is an error with a text, or nil for "".
func errorOf(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(text)
}
