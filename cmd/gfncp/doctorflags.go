package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/programs"
	"github.com/gfncp/gfncp/internal/usererr"
)

// xlaFlagsEnv is the variable from which XLA reads its flags when it starts.
const xlaFlagsEnv = "XLA_FLAGS"

// usefulFlag are flags of XLA that belong together, and why one would want them.
type usefulFlag struct{ flags, why string }

// usefulFlags lists what may be of use on a card, with caches in a folder. A plugin that does not know a flag ends its
// process, so each is tried in a child.
func usefulFlags(cache string) []usefulFlag {
	return []usefulFlag{
		{"--xla_gpu_per_fusion_autotune_cache_dir=" + filepath.Join(cache, "autotune"), "keeps the tuning of kernels"},
		{
			"--xla_gpu_kernel_cache_file=" + filepath.Join(cache, "kernels") +
				" --xla_gpu_enable_llvm_module_compilation_parallelism=true", "keeps compiled kernels",
		},
		{"--xla_gpu_enable_command_buffer=+WHILE,+CONDITIONAL", "runs the decoding loop as one CUDA graph"},
		{"--xla_gpu_enable_cublaslt=true", "adds biases within matrix products"},
	}
}

// flagTrial is how long a child may take: three programs, 5 to 40 seconds each.
const flagTrial = 4 * time.Minute

// doctorXLAFlags tries flags of XLA on the backend and prints those, with the ones that are set already, that it takes
// and computes right numbers with, as a value for XLA_FLAGS. It says on stderr what came of each.
func doctorXLAFlags(c *cli.Context) error {
	choice, err := engine.Choose(c.String("backend"))
	if err != nil {
		return err
	}
	if choice.Plugin() == "" {
		return usererr.New("give one, such as --backend xla:cuda", "backend %s is no PJRT plugin and has no XLA flags",
			choice.Name)
	}
	cache, err := cacheFolder()
	if err != nil {
		return err
	}
	set := os.Getenv(xlaFlagsEnv)
	if err := decodesWith(c.Context, choice.Config, set); err != nil {
		return fmt.Errorf("without any more flags: %w", err)
	}
	useful := usefulFlags(cache)
	faults := make([]error, len(useful))
	var wg sync.WaitGroup
	for i, f := range useful {
		wg.Go(func() { faults[i] = decodesWith(c.Context, choice.Config, joined(set, f.flags)) })
	}
	wg.Wait()
	all := set
	for i, f := range useful {
		if faults[i] != nil {
			fmt.Fprintf(c.App.ErrWriter, "refused   %s: %v\n", f.flags, faults[i])
			continue
		}
		fmt.Fprintf(c.App.ErrWriter, "accepted  %s: %s\n", f.flags, f.why)
		all = joined(all, f.flags)
	}
	if err := decodesWith(c.Context, choice.Config, all); err != nil {
		return fmt.Errorf("each alone is accepted, but not %s: %w", all, err)
	}
	_, err = fmt.Fprintln(c.App.Writer, all)
	return err
}

func joined(flags, more string) string { return strings.TrimSpace(flags + " " + more) }

// cacheFolder is where XLA keeps what it compiled; it is made if it is not there.
func cacheFolder() (string, error) {
	folder, err := programs.CacheFolder()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", &usererr.Error{
			Path: folder, Msg: "cannot be made for XLA's caches (" + err.Error() + ")", Hint: programs.Remedy, Err: err,
		}
	}
	return folder, nil
}

// decodesWith decodes under flags in a child process and compares the numbers with stored ones.
func decodesWith(ctx context.Context, backend, flags string) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program to start it again: %w", err)
	}
	limited, stop := context.WithTimeout(ctx, flagTrial)
	defer stop()
	child := exec.CommandContext(limited, program, "doctor", "--parity", "--case", "decode given labels",
		"--backend", backend)
	child.Env = append(os.Environ(), xlaFlagsEnv+"="+flags)
	out, err := child.CombinedOutput()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errInterrupted
	case limited.Err() != nil:
		return fmt.Errorf("no end after %v", flagTrial)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return errors.Join(err, errors.New(lines[len(lines)-1]))
}
