package gpu

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/train"
)

// tiny overrides make a run's steps take milliseconds.
const tiny = "--quiet --set net.hidden=8 --set net.embed=4 --set net.global=4 --set data.batch=4 --set data.n_min=5 --set data.n_max=10 --set train.valid_sets=4"

// endless is a run that no test waits for.
const endless = "gfncp train --out runs/endless " + tiny + " --set train.steps=100000000 --set train.valid_every=100000000 --set train.checkpoint_every=%d"

func needs(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not on this machine", tool)
		}
	}
}

// binary is gfncp, built once for all tests into scratch.
var (
	scratch string
	binary  = sync.OnceValues(func() (string, error) {
		path := filepath.Join(scratch, "gfncp")
		if out, err := exec.Command("go", "build", "-o", path, "github.com/gfncp/gfncp/cmd/gfncp").CombinedOutput(); err != nil {
			return "", fmt.Errorf("build: %w\n%s", err, out)
		}
		return path, nil
	})
)

func TestMain(m *testing.M) {
	scratch = must.M1(os.MkdirTemp("", "gfncp-gpu-"))
	status := m.Run()
	_ = os.RemoveAll(scratch)
	os.Exit(status)
}

// script is a call of run.sh with a job list, in its own process group.
func script(t *testing.T, gfncp, out, list string, args ...string) *exec.Cmd {
	t.Helper()
	jobs := filepath.Join(t.TempDir(), "jobs.txt")
	must.M(os.WriteFile(jobs, []byte(list), 0o644))
	cmd := exec.Command("bash", append([]string{"run.sh", "--gfncp", gfncp, "--jobs", jobs, "--out", out}, args...)...)
	cmd.Env = append(os.Environ(), "GFNCP_COPY_SECONDS=1", "GFNCP_LEAST_SECONDS=1", "GFNCP_RESERVE_SECONDS=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// statuses reads a summary: job → status.
func statuses(t *testing.T, out string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for line := range strings.Lines(string(must.M1(os.ReadFile(filepath.Join(out, "summary.tsv"))))) {
		if cells := strings.Split(line, "\t"); len(cells) == 6 {
			found[cells[0]] = cells[1]
		} else {
			t.Errorf("summary line %q has %d cells", line, len(cells))
		}
	}
	return found
}

// unpack reads every archive in a folder that fits the pattern: path → content.
func unpack(out, pattern string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, path := range must.M1(filepath.Glob(filepath.Join(out, pattern))) {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		zipped, err := gzip.NewReader(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		archive := tar.NewReader(zipped)
		for {
			head, err := archive.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			if files[head.Name], err = io.ReadAll(archive); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	return files, nil
}

// checkpoint returns the name of the one checkpoint among the files of a state, whose weights can be read.
func checkpoint(t *testing.T, files map[string][]byte) (found string) {
	t.Helper()
	for path, content := range files {
		if !strings.HasPrefix(path, "runs/endless/checkpoints/") {
			continue
		}
		if found != "" {
			t.Errorf("two checkpoints, %s and %s; the newest is enough", found, path)
		}
		found = path
		if _, err := train.DecodeModel(path, content); err != nil {
			t.Errorf("the checkpoint of a copy cannot be read: %v", err)
		}
	}
	return found
}

// Jobs end in every way there is; a second call with the state skips what is done and goes on where the time ran out; and
// SIGKILL leaves what was copied last.
func TestRun(t *testing.T) {
	needs(t, "bash", "tar", "gzip", "timeout", "sha256sum", "go")
	if testing.Short() {
		t.Skip("it builds gfncp and waits for jobs to run out of time")
	}
	gfncp := must.M1(binary())
	list := "# a comment\n\n" +
		"listed 20 gfncp list >results/list.txt && echo $BACKEND\n" +
		"short 20 gfncp train --out runs/short " + tiny + " --set train.steps=4 --set train.valid_every=2 --set train.checkpoint_every=2\n" +
		"wrong 20 gfncp train --out runs/wrong --model nonsense\n" +
		"endless 2 " + fmt.Sprintf(endless, 100000000) + "\n"
	first := filepath.Join(t.TempDir(), "out")
	text, err := script(t, gfncp, first, list, "--backend", "go", "--budget", "60").CombinedOutput()
	if err == nil {
		t.Error("a job failed, but run.sh ended with 0")
	}
	if !strings.Contains(string(text), "float64 reference") {
		t.Errorf("doctor's report is missing:\n%s", text)
	}
	got := statuses(t, first)
	for job, want := range map[string]string{"doctor": "done", "listed": "done", "short": "done", "wrong": "failed", "endless": "out-of-time"} {
		if got[job] != want {
			t.Errorf("%s: %q, want %q\n%s", job, got[job], want, text)
		}
	}
	results, state := must.M1(unpack(first, "results.tar.gz")), must.M1(unpack(first, "state-*.tar.gz"))
	if !strings.Contains(string(results["results/list.txt"]), "table3") || string(results["logs/listed.log"]) != "go\n" {
		t.Errorf("results: %d files, log %q", len(results), results["logs/listed.log"])
	}
	if len(state["runs/short/best.safetensors"]) == 0 || len(state["runs/short/checkpoints/step-00000004.safetensors"]) != 0 {
		t.Error("a finished run should leave its weights and no checkpoint")
	}
	reached := checkpoint(t, state)

	second := filepath.Join(t.TempDir(), "out")
	again := script(t, gfncp, second, strings.Replace(list, "--model nonsense", "--model ncp --show-config", 1), "--backend", "go", "--budget", "60", "--state", first)
	again.Env = append(again.Env, "GFNCP_PART_BYTES=20000")
	text = must.M1(again.CombinedOutput())
	got = statuses(t, second)
	for job, want := range map[string]string{"listed": "done-before", "short": "done-before", "wrong": "done", "endless": "out-of-time"} {
		if got[job] != want {
			t.Errorf("second call, %s: %q, want %q\n%s", job, got[job], want, text)
		}
	}
	if now := checkpoint(t, must.M1(unpack(second, "state-*.tar.gz"))); reached == "" || now <= reached {
		t.Errorf("the run was at %q and is now at %q: it did not go on", reached, now)
	}
	if parts := must.M1(filepath.Glob(filepath.Join(second, "state-*.tar.gz"))); len(parts) < 2 {
		t.Errorf("parts of 20 kB: %v, want several", parts)
	}

	third := filepath.Join(t.TempDir(), "out") // the budget is spent by the time the jobs begin
	text = must.M1(script(t, gfncp, third, list, "--backend", "go", "--budget", "1", "--state", first).CombinedOutput())
	if got = statuses(t, third); got["endless"] != "not-started" || got["listed"] != "done-before" {
		t.Errorf("without time: %v\n%s", got, text)
	}
}

func TestKilledRunLeavesACopy(t *testing.T) {
	needs(t, "bash", "tar", "gzip", "timeout", "sha256sum", "go")
	out := filepath.Join(t.TempDir(), "out")
	cmd := script(t, must.M1(binary()), out, "endless 100 echo $$ >results/pid; exec "+fmt.Sprintf(endless, 50)+"\n", "--backend", "go")
	must.M(cmd.Start())
	t.Cleanup(func() { killJob(t, out) })
	held := func() string {
		files, err := unpack(out, "state-*.tar.gz")
		if err != nil {
			t.Fatalf("a copy cannot be read while the job runs: %v", err)
		}
		return checkpoint(t, files)
	}
	for range 300 {
		if held() != "" {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	must.M(syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL))
	_ = cmd.Wait()
	if held() == "" {
		t.Error("no checkpoint was copied within 15 s")
	}
	if got := statuses(t, out)["doctor"]; got != "done" {
		t.Errorf("the summary says %q of doctor", got)
	}
}

// killJob ends the job that outlived its script, by the process number it wrote.
func killJob(t *testing.T, out string) {
	files := must.M1(unpack(out, "results.tar.gz"))
	pid, err := strconv.Atoi(strings.TrimSpace(string(files["results/pid"])))
	if err != nil {
		t.Fatalf("the job's process number: %v", err)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	for range 100 {
		if _, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err != nil { // gone, or a zombie
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("the job, process %d, does not end", pid)
}

// Without --backend the plugin of a Python environment is taken, with the libraries beside it; nothing may be downloaded.
func TestRunFindsThePlugin(t *testing.T) {
	needs(t, "bash", "tar", "gzip", "timeout", "sha256sum")
	packages := filepath.Join(t.TempDir(), "lib/python3.12/site-packages")
	plugin := filepath.Join(packages, "jax_plugins/xla_cuda13/xla_cuda_plugin.so")
	device := filepath.Join(packages, "nvidia/cu13/nvvm/libdevice/libdevice.10.bc")
	for _, file := range []string{plugin, device, filepath.Join(packages, "nvidia/cu13/lib/libcublas.so.13"), filepath.Join(packages, "nvidia/cudnn/lib/libcudnn.so.9")} {
		must.M(os.MkdirAll(filepath.Dir(file), 0o755))
		must.M(os.WriteFile(file, nil, 0o644))
	}
	for _, test := range []struct{ variable, args, backend, tf32 string }{
		{"PJRT_PLUGIN_LIBRARY_PATH=" + filepath.Dir(plugin), "", "xla:" + plugin, "xla:" + plugin + ",tf32=true"},
		{"PJRT_PLUGIN_LIBRARY_PATH=/nowhere:" + plugin, "", "xla:" + plugin, "xla:" + plugin + ",tf32=true"},
		{"VIRTUAL_ENV=" + filepath.Join(packages, "../../.."), "--backend " + plugin, "xla:" + plugin, "xla:" + plugin + ",tf32=true"},
		{"PJRT_PLUGIN_LIBRARY_PATH=" + filepath.Dir(plugin), "--backend xla:cuda,allocator=bfc", "xla:" + plugin + ",allocator=bfc", "xla:" + plugin + ",allocator=bfc,tf32=true"},
		{"PJRT_PLUGIN_LIBRARY_PATH=" + filepath.Dir(plugin), "--backend go", "go", "go"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		cmd := script(t, "/bin/true", out, `env 9 printf '%s\n' "$BACKEND" "$BACKEND_TF32" "$GOMLX_BACKEND" "$GOMLX_NO_AUTO_INSTALL" "$LD_LIBRARY_PATH" "$XLA_FLAGS"`+"\n", strings.Fields(test.args)...)
		cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH=/kept", "XLA_FLAGS=", "PATH="+os.Getenv("PATH"), test.variable)
		text := must.M1(cmd.CombinedOutput())
		lines := strings.Split(string(must.M1(unpack(out, "results.tar.gz"))["logs/env.log"]), "\n")
		if len(lines) != 7 || lines[0] != test.backend || lines[1] != test.tf32 || lines[2] != test.backend || lines[3] != "1" {
			t.Errorf("%s %s: %q\n%s", test.variable, test.args, lines, text)
			continue
		}
		libraries := filepath.Join(packages, "nvidia/cudnn/lib") + ":" + filepath.Join(packages, "nvidia/cu13/lib") + ":/kept"
		flag := "--xla_gpu_cuda_data_dir="
		if test.backend == "go" {
			libraries, flag = "/kept", ""
		}
		if lines[4] != libraries || !strings.HasPrefix(lines[5], flag) || (flag == "" && lines[5] != "") {
			t.Errorf("%s: LD_LIBRARY_PATH %q, want %q; XLA_FLAGS %q, want %q", test.variable, lines[4], libraries, lines[5], flag)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	needs(t, "bash")
	for list, want := range map[string]string{
		"job ten true\n": "no whole number", "a 1 true\na 1 true\n": "second job named a", "a/b 1 true\n": "use letters", "a 1\n": "has no command",
	} {
		out := filepath.Join(t.TempDir(), "out")
		text, err := script(t, "/bin/true", out, list).CombinedOutput()
		if err == nil || !strings.Contains(string(text), want) {
			t.Errorf("list %q: %v, %s; want a complaint with %q", list, err, text, want)
		}
	}
}
