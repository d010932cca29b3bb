//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package engine

import (
	"cmp"
	"debug/elf"
	"debug/macho"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/internal/wheel"
)

// getPjrtAPI is the function that makes a shared library a PJRT plugin.
const getPjrtAPI = "GetPjrtApi"

// InstallWheel unpacks a wheel, XLA's plugin for the processor or for CUDA, or tools and libraries of NVIDIA's, to
// where Choose finds it. The plugin is loaded first, in a process of its own (AnswerProbe). Where anything is wrong
// nothing changes. A wheel that is damaged, for another platform, or without a plugin that can be used is a
// usererr.Error.
func InstallWheel(file string) (Installed, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Installed{}, fmt.Errorf("install %s: %w", file, err)
	}
	w, err := wheel.Open(file)
	if err != nil {
		return Installed{}, err
	}
	defer w.Close()
	if err := w.For(runtime.GOOS, runtime.GOARCH); err != nil {
		return Installed{}, err
	}
	installed, err := installWheel(w, file, pluginFolder(home))
	if err != nil && !usererr.Is(err) {
		return Installed{}, fmt.Errorf("install %s: %w", file, err)
	}
	return installed, err
}

// installWheel unpacks a wheel beside its place, looks at it, and puts it there.
func installWheel(w *wheel.Wheel, file, folder string) (Installed, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return Installed{}, unwritable(folder, err)
	}
	staged, err := os.MkdirTemp(folder, ".unpacked-")
	if err != nil {
		return Installed{}, unwritable(folder, err)
	}
	defer os.RemoveAll(staged)
	if err := w.Unpack(staged); err != nil {
		return Installed{}, err
	}
	plugin, err := pluginAmong(staged)
	if plugin != "" {
		return placePlugin(plugin, file, folder)
	}
	if _, missing := os.Stat(filepath.Join(staged, "nvidia")); err != nil || missing != nil {
		return Installed{}, unusable(file, cmp.Or(err, errors.New("no library in it exports "+getPjrtAPI)))
	}
	to := filepath.Join(folder, wheelsFolder, "nvidia")
	return Installed{Path: to}, addTree(filepath.Join(staged, "nvidia"), to)
}

// unusable is a usererr.Error about a wheel whose plugin is none, or none that can be used.
func unusable(file string, err error) error {
	return &usererr.Error{
		Path: file, Msg: "no PJRT plugin that can be used: " + err.Error(),
		Hint: "take xla-cpu-pjrt, lammps-jax-pjrt-cpu or jax-cuda13-pjrt from pypi.org", Err: err,
	}
}

func unwritable(folder string, err error) error {
	return &usererr.Error{
		Path: folder, Msg: "cannot be written (" + fileio.WithoutPath(err).Error() + ")",
		Hint: "make it writable, or set HOME to another folder", Err: err,
	}
}

// pluginAmong returns the path of the PJRT plugin below a folder, or "" if there is none; an error tells of a library
// that cannot be read, which may be it. NVIDIA's own libraries are no plugins.
func pluginAmong(folder string) (plugin string, fault error) {
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == "nvidia" {
				return fs.SkipDir
			}
			return nil
		}
		if extension := filepath.Ext(path); extension != ".so" && extension != ".dylib" {
			return nil
		}
		names, err := exports(path)
		if err != nil {
			fault = fmt.Errorf("%s in it is no whole library (%w)", entry.Name(), err)
			return nil
		}
		if names[getPjrtAPI] {
			plugin = path
			return fs.SkipAll
		}
		return nil
	})
	if plugin != "" {
		return plugin, nil
	}
	return "", errors.Join(err, fault)
}

// exports reads the names that a shared library defines; nothing is loaded.
func exports(path string) (map[string]bool, error) {
	names := map[string]bool{}
	if runtime.GOOS == "darwin" {
		library, err := macho.Open(path)
		if err != nil {
			return nil, err
		}
		defer library.Close()
		if library.Symtab != nil {
			for _, s := range library.Symtab.Syms {
				names[strings.TrimPrefix(s.Name, "_")] = s.Sect != 0
			}
		}
		return names, nil
	}
	library, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer library.Close()
	symbols, err := library.DynamicSymbols()
	for _, s := range symbols {
		names[s.Name] = s.Section != elf.SHN_UNDEF
	}
	return names, err
}

// placePlugin tries an unpacked plugin and, if it can be used, moves it to where its platform's are found.
func placePlugin(plugin, file, folder string) (Installed, error) {
	answer, err := probe(plugin)
	if err == nil && answer.Platform != "cpu" && answer.Platform != "cuda" {
		err = fmt.Errorf("it is for platform %q, not cpu or cuda", answer.Platform)
	}
	if err != nil {
		return Installed{}, unusable(file, errors.New(strings.ReplaceAll(err.Error(), plugin, filepath.Base(plugin))))
	}
	to := filepath.Join(folder, "pjrt_c_api_cpu_plugin"+filepath.Ext(plugin))
	if answer.Platform == "cuda" {
		to = filepath.Join(folder, wheelsFolder, cudaPluginIn, "xla_cuda_plugin.so")
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return Installed{}, unwritable(filepath.Dir(to), err)
	}
	if err := os.Rename(plugin, to); err != nil {
		return Installed{}, err
	}
	return Installed{Path: to, Platform: answer.Platform, API: answer.API}, nil
}

// addTree adds a folder's files to those of another folder, on the same disk: all of them, or none. Files of the same
// name are replaced.
func addTree(from, to string) error {
	err := filepath.WalkDir(to, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		kept := filepath.Join(from, strings.TrimPrefix(path, to))
		if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
			return err
		}
		if err := os.Link(path, kept); !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	before := from + ".before" // in the folder that is removed afterwards
	if err := os.Rename(to, before); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return errors.Join(err, os.Rename(before, to))
	}
	return nil
}
