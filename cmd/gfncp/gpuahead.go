package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/engine/pjrtapi"
	"github.com/gfncp/gfncp/internal/engine/programs"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// aheadCompiler compiles the programs of trainings for a GPU and prints a line for each.
type aheadCompiler struct {
	context  context.Context
	gpu      pjrtapi.Target
	backend  compute.Backend // it runs the hollow programs
	out      io.Writer
	folder   string // for executables; "" for none
	seen     map[pjrtapi.Program]bool
	manifest aheadManifest
	seconds  float64
}

// aheadManifest is manifest.json beside the executables.
type aheadManifest struct {
	SchemaVersion int            `json:"schema_version"`
	Plugin        string         `json:"plugin"`       // path
	Build         string         `json:"plugin_build"` // tells builds apart: another one does not load the executables
	API           string         `json:"plugin_api"`   // version of the PJRT API
	Target        string         `json:"target"`
	XLAFlags      string         `json:"xla_flags"`
	Programs      []aheadProgram `json:"programs"`
}

// aheadProgram is a compiled program.
type aheadProgram struct {
	Run       string  `json:"run"`
	Name      string  `json:"name"`
	Input     string  `json:"input"`
	Seconds   float64 `json:"compile_seconds"`
	Peak      int64   `json:"peak_bytes"`
	Temporary int64   `json:"temporary_bytes"`
	Size      int     `json:"executable_bytes"`
	File      string  `json:"file,omitempty"`
	SHA256    string  `json:"sha256"`
}

// begin makes the folder and prints the heading.
func (a *aheadCompiler) begin(plugin, target string) error {
	found, err := pjrtapi.Prepare(plugin)
	if err != nil {
		return err
	}
	build, err := programs.FileIdentity(plugin)
	if err != nil {
		return err
	}
	a.manifest = aheadManifest{
		SchemaVersion: 1, Plugin: plugin, Build: build, API: found.Version.String(), Target: target,
		XLAFlags: os.Getenv("XLA_FLAGS"),
	}
	if a.folder != "" {
		if err := os.MkdirAll(a.folder, 0o755); err != nil {
			return usererr.File(a.folder, 0, "choose another folder with --out", "cannot be made (%v)", err)
		}
	}
	_, err = fmt.Fprintf(a.out, "for %s by %s, without a card\n%-13s %-30s %-18s %7s %8s %8s %7s\n", target, plugin,
		"run", "program", "input", "seconds", "peak MB", "temp. MB", "exe kB")
	return err
}

// compile takes a run's steps with hollow programs and compiles the real ones that are new.
func (a *aheadCompiler) compile(run aheadRun) error {
	found, err := a.record(run.config)
	if kept := (*usererr.Error)(nil); errors.As(err, &kept) {
		_, err := fmt.Fprintf(a.out, "%-13s left out: %s\n", run.name, oneLine(kept))
		return err
	}
	if err != nil {
		return fmt.Errorf("run %s with hollow programs: %w", run.name, err)
	}
	for _, p := range found {
		if err := a.context.Err(); err != nil {
			return err
		}
		if err := a.one(run.name, p); err != nil {
			return fmt.Errorf("compile %q of %s: %w", p.Name(), run.name, err)
		}
	}
	return nil
}

// record returns the programs of a training that no earlier one had.
func (a *aheadCompiler) record(c train.Config) (found []pjrtapi.Program, err error) {
	folder, err := os.MkdirTemp("", "gfncp-ahead-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	var mu sync.Mutex
	defer pjrtapi.Record(func(p pjrtapi.Program) string {
		mu.Lock()
		defer mu.Unlock()
		_, code, _ := strings.Cut(p.Code, "{\n") // without the module's name, which has a number
		key := pjrtapi.Program{Format: p.Format, Code: code, Options: p.Options}
		if !a.seen[key] {
			a.seen[key] = true
			found = append(found, p)
		}
		return loopEnd(p)
	})()
	_, err = train.Run(a.context, a.backend, sources.Source, c, filepath.Join(folder, "run"), train.Listener{})
	return found, err
}

// one compiles a program.
func (a *aheadCompiler) one(run string, p pjrtapi.Program) error {
	start := time.Now()
	e, err := a.gpu.Compile(p)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(e.Bytes)
	row := aheadProgram{
		Run: run, Name: p.Name(), Input: p.Input(), Seconds: time.Since(start).Seconds(),
		Peak: e.Peak, Temporary: e.Temporary, Size: len(e.Bytes), SHA256: hex.EncodeToString(sum[:]),
	}
	if a.folder != "" {
		row.File = row.SHA256[:16] + ".xla"
		if err := atomicfile.WriteFile(filepath.Join(a.folder, row.File), e.Bytes, 0o644); err != nil {
			return err
		}
	}
	a.manifest.Programs = append(a.manifest.Programs, row)
	a.seconds += row.Seconds
	_, err = fmt.Fprintf(a.out, "%-13s %-30s %-18s %7.2f %8.1f %8.1f %7.0f\n", row.Run, row.Name, row.Input,
		row.Seconds, float64(row.Peak)/1e6, float64(row.Temporary)/1e6, float64(row.Size)/1e3)
	return err
}

// finish writes the manifest and says how much was done.
func (a *aheadCompiler) finish() error {
	if a.folder != "" {
		text, err := json.MarshalIndent(a.manifest, "", "  ")
		if err != nil {
			return err
		}
		path := filepath.Join(a.folder, "manifest.json")
		if err := atomicfile.WriteFile(path, append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(a.out, "%d programs compiled in %.0f s\n", len(a.manifest.Programs), a.seconds)
	return err
}

// loopEnd makes the decoding loop's status say that all steps are done, and one cluster found in each sequence.
func loopEnd(p pjrtapi.Program) string {
	if p.Name() != "decoding loop" {
		return ""
	}
	match := loopSignature.FindStringSubmatch(p.Code)
	if match == nil {
		return ""
	}
	limit, status := match[1], match[2]
	sequences, _ := strconv.Atoi(status)
	return strings.NewReplacer("LIMIT", limit, "STATUS", status, "SEQUENCES", strconv.Itoa(sequences-1)).Replace(
		`%e0 = "stablehlo.convert"(LIMIT) : (tensor<i32>) -> tensor<f32>
    %e1 = "stablehlo.reshape"(%e0) : (tensor<f32>) -> tensor<1xf32>
    %e2 = stablehlo.constant dense<1.0> : tensor<SEQUENCESxf32>
    %r0 = "stablehlo.concatenate"(%e1, %e2) <{dimension = 0 : i64}> : ` +
			`(tensor<1xf32>, tensor<SEQUENCESxf32>) -> tensor<STATUSxf32>`)
}

// loopSignature finds the argument that limits the decoding loop's steps, the third whole number, and the status's
// size.
var loopSignature = regexp.MustCompile(
	`func\.func @main\((?:.*?: tensor<i32>){2}.*?(%[^ :]+): tensor<i32>.*\) -> \(tensor<(\d+)xf32>`)
