package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/hlo"
	"github.com/gfncp/gfncp/internal/engine/pjrtapi"
	"github.com/gfncp/gfncp/internal/engine/programs"
	"github.com/gfncp/gfncp/internal/usererr"
)

// aheadCompiler compiles the programs of runs for a GPU and prints a row of a table for each.
type aheadCompiler struct {
	context  context.Context
	gpu      pjrtapi.Target
	target   gpuTarget
	tools    gpuTools
	out      io.Writer
	folder   string // for executables; "" for none
	seen     map[pjrtapi.Program]bool
	manifest aheadManifest
}

// aheadManifest is manifest.json beside the executables.
type aheadManifest struct {
	SchemaVersion int            `json:"schema_version"`
	Version       string         `json:"version"`
	Plugin        string         `json:"plugin"`       // path
	Build         string         `json:"plugin_build"` // tells builds apart: another one does not load the executables
	API           string         `json:"plugin_api"`   // version of the PJRT API
	Target        string         `json:"target"`
	XLAFlags      string         `json:"xla_flags"`
	Runs          []aheadCount   `json:"runs"`
	Programs      []aheadProgram `json:"programs"`
}

// aheadCount is how many programs a run has.
type aheadCount struct {
	Run      string `json:"run"`
	Programs int    `json:"programs"`
	New      int    `json:"new"` // that no earlier run has
}

// aheadProgram is a compiled program.
type aheadProgram struct {
	Run        string   `json:"run"`
	Name       string   `json:"name"`
	Input      string   `json:"input"`
	Seconds    float64  `json:"compile_seconds"`
	Peak       int64    `json:"peak_bytes"`
	Temporary  int64    `json:"temporary_bytes"`
	Spilled    int      `json:"spilled_bytes"`            // of registers, added up over kernels
	Kernels    int      `json:"kernels"`                  // started in a run
	Loops      int      `json:"loops"`                    // of which one step is counted
	Operations float64  `json:"operations"`               // of products
	Bytes      float64  `json:"bytes"`                    // read and written
	Float32    *float64 `json:"roofline_float32_seconds"` // nothing for a GPU whose peaks are not known
	TF32       *float64 `json:"roofline_tf32_seconds"`
	Size       int      `json:"executable_bytes"`
	File       string   `json:"file,omitempty"`
	SHA256     string   `json:"sha256"`
}

// begin prints the heading.
func (a *aheadCompiler) begin(plugin string) error {
	found, err := pjrtapi.Prepare(plugin)
	if err != nil {
		return err
	}
	build, err := programs.FileIdentity(plugin)
	if err != nil {
		return err
	}
	a.manifest = aheadManifest{
		SchemaVersion: 1, Version: version(), Plugin: plugin, Build: build, API: found.Version.String(),
		Target: a.target.name, XLAFlags: a.tools.flags,
	}
	return writeAheadHead(a.out, a.manifest)
}

// compile makes a run with hollow programs and compiles the real ones that are new.
func (a *aheadCompiler) compile(run aheadRun) error {
	found, count, err := a.record(run)
	if kept := (*usererr.Error)(nil); errors.As(err, &kept) {
		return writeLeftOut(a.out, run.name, oneLine(kept))
	}
	if err != nil {
		return fmt.Errorf("run %s with hollow programs: %w", run.name, err)
	}
	a.manifest.count(count)
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

// count adds a run's programs to those of the run before it, if that has the same name.
func (m *aheadManifest) count(c aheadCount) {
	last := len(m.Runs) - 1
	if last >= 0 && m.Runs[last].Run == c.Run {
		m.Runs[last].Programs += c.Programs
		m.Runs[last].New += c.New
		return
	}
	m.Runs = append(m.Runs, c)
}

// record returns the programs of a run that no earlier one had, and counts them and the others.
func (a *aheadCompiler) record(run aheadRun) (found []pjrtapi.Program, c aheadCount, err error) {
	var mu sync.Mutex
	own, loops := map[pjrtapi.Program]bool{}, map[string]int{}
	stop := pjrtapi.Record(func(p pjrtapi.Program) string {
		mu.Lock()
		defer mu.Unlock()
		key := p.Same()
		own[key] = true
		if !a.seen[key] {
			a.seen[key] = true
			found = append(found, p)
		}
		if p.Name() == decodingLoop {
			loops[p.Input()]++
			if loops[p.Input()] < loopsOfADecoding {
				return "" // no step is done: the slots ran out
			}
		}
		return firstResult(p)
	})
	err = run.do(a.context, "xla:"+hollowCUDA)
	stop()
	sortPrograms(found)
	return found, aheadCount{run.name, len(own), len(found)}, err
}

// sortPrograms orders programs, several of which may come at once, by the place of their name's first and by size.
func sortPrograms(list []pjrtapi.Program) {
	place := map[string]int{}
	for i, p := range list {
		if _, known := place[p.Name()]; !known {
			place[p.Name()] = i
		}
	}
	slices.SortFunc(list, func(a, b pjrtapi.Program) int {
		return cmp.Or(place[a.Name()]-place[b.Name()], len(a.Input())-len(b.Input()), cmp.Compare(a.Input(), b.Input()),
			cmp.Compare(a.Code, b.Code))
	})
}

// openHollow opens the backend of hollow programs.
func openHollow(name string) (compute.Backend, error) {
	choice, err := engine.Choose(name)
	if err != nil {
		return nil, err
	}
	return choice.Open()
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
	if row.Spilled, err = a.tools.spilled(); err != nil {
		return err
	}
	if err := row.count(e.Optimized, a.target); err != nil {
		return err
	}
	if a.folder != "" {
		key, err := a.gpu.Key(p)
		if err != nil {
			return err
		}
		row.File = key + programs.Suffix
		if err := programs.AheadIn(a.folder).Put(key, e.Bytes); err != nil {
			return err
		}
	}
	a.manifest.Programs = append(a.manifest.Programs, row)
	return row.write(a.out)
}

// count takes from the optimized program what it does, and what that takes at least.
func (p *aheadProgram) count(optimized []byte, target gpuTarget) error {
	c, err := hlo.Count(optimized)
	if err != nil {
		return err
	}
	p.Kernels, p.Loops, p.Operations, p.Bytes = c.Runs(), c.Loops, c.Operations(), c.Bytes()
	if peak, known := peaks[target.name]; known {
		p.Float32, p.TF32 = new(peak.seconds(c, peak.float32)), new(peak.seconds(c, peak.tf32))
	}
	return nil
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
	return writeAheadEnd(a.out, a.manifest)
}

// decodingLoop is the program whose slots run out twice before it goes on with enough: then a run with real numbers of
// the paper's size comes to its end, as one on XLA's CPU plugin shows.
const (
	decodingLoop     = "decoding loop"
	loopsOfADecoding = 3
)

// firstResult sets a hollow program's first result where zeros would let its caller go on for long: the decoding loop's
// status says that all steps are done, and one cluster found in each sequence; all points join CCP's first cluster.
func firstResult(p pjrtapi.Program) string {
	switch p.Name() {
	case decodingLoop:
		return loopEnd(p)
	case "CCP s decisions":
		if match := resultType.FindStringSubmatch(p.Code); match != nil {
			return "%r0 = stablehlo.constant dense<1.0> : " + match[1]
		}
	}
	return ""
}

// resultType finds the type of a program's first result.
var resultType = regexp.MustCompile(`func\.func @main\(.*\) -> \(?(tensor<[^>]*>)`)

// loopEnd is firstResult of the decoding loop.
func loopEnd(p pjrtapi.Program) string {
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
