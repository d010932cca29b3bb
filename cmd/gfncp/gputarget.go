package main

import (
	"embed"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/gfncp/gfncp/internal/engine/hlo"
	"github.com/gfncp/gfncp/internal/engine/pjrtapi"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
)

// targetFiles describe GPUs as XLA's compiler asks for: GpuTargetConfigProto in text format, in a short form that
// older and newer plugins read.
//
//go:embed targets/*.txtpb
var targetFiles embed.FS

// peaks are what the known GPUs do at most, with products in float32 and in TF32. Source: NVIDIA's data sheets of A100
// (80 GB, SXM), H100 (SXM) and HGX B200, an eighth of its eight; TF32 without sparsity, half of what they print for it.
// Between two kernels 3 µs are assumed.
var peaks = map[string]gpuPeak{
	"a100": {bytes: 2.039e12, float32: 19.5e12, tf32: 156e12},
	"h100": {bytes: 3.35e12, float32: 67e12, tf32: 494.5e12},
	"b200": {bytes: 8e12, float32: 75e12, tf32: 1125e12},
}

// gpuPeak has bytes of the card's memory a second, and operations of products a second by their precision.
type gpuPeak struct{ bytes, float32, tf32 float64 }

// seconds is the least time of a program with products of some operations a second.
func (p gpuPeak) seconds(c hlo.Counts, operations float64) float64 {
	return c.Seconds(hlo.Peak{Bytes: p.bytes, Operations: operations, Start: 3e-6})
}

// gpuTarget is a GPU to compile for.
type gpuTarget struct {
	name        string // a known GPU's, or the path of the user's file
	description string
	own         bool // the user's file
}

// targetNames are the known GPUs.
func targetNames() (names []string) {
	found, _ := fs.Glob(targetFiles, "targets/*.txtpb")
	for _, file := range found {
		names = append(names, strings.TrimSuffix(path.Base(file), ".txtpb"))
	}
	return names
}

// readTarget reads a known GPU's description, or the user's file.
func readTarget(name string) (gpuTarget, error) {
	if text, err := targetFiles.ReadFile("targets/" + name + ".txtpb"); err == nil {
		return gpuTarget{name, string(text), false}, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return gpuTarget{}, &usererr.Error{
			Path: name, Msg: "cannot be read as the description of a GPU (" + fileio.WithoutPath(err).Error() + ")",
			Hint: "give --target one of " + strings.Join(targetNames(), ", ") + ", or a file", Err: err,
		}
	}
	return gpuTarget{name, string(text), true}, nil
}

// open describes the GPU to a CUDA plugin.
func (t gpuTarget) open(plugin string) (pjrtapi.Target, error) {
	gpu, err := pjrtapi.OpenTarget(plugin, t.description)
	if err != nil && t.own {
		return gpu, &usererr.Error{
			Path: t.name, Msg: "is no description of a GPU that the CUDA plugin takes (" + oneLine(err) + ")",
			Hint: "write a GpuTargetConfigProto of XLA in text format; gfncp's own are cmd/gfncp/targets/*.txtpb",
			Err:  err,
		}
	}
	return gpu, err
}

// oneLine is the first line of an error.
func oneLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
