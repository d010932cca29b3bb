package programs

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
)

// Samples of a large file that stand for it.
const (
	samples     = 64
	sampleBytes = 4096
)

// FileIdentity identifies the build of a plugin, whatever its path and time: by size and 64 samples of 4 KiB. Reading
// all of its hundreds of megabytes would take longer than loading a program.
func FileIdentity(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	h, size := sha256.New(), info.Size()
	for i := range int64(samples) {
		if _, err := io.Copy(h, io.NewSectionReader(file, size/samples*i, sampleBytes)); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d bytes %s", size, hex.EncodeToString(h.Sum(nil)[:16])), nil
}

// Host identifies the processor that programs are compiled for: by name and features where Linux shows them, else by
// the machine's name. It includes the number of cores, because XLA divides work among them when it compiles.
var Host = sync.OnceValue(func() string {
	what := fmt.Sprintf("%s/%s %d", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	file, err := os.Open("/proc/cpuinfo")
	if err != nil {
		name, _ := os.Hostname() // without a name, all machines of the kind
		return what + " " + name
	}
	defer func() { _ = file.Close() }()
	for lines := bufio.NewScanner(file); lines.Scan() && lines.Text() != ""; {
		name, value, _ := strings.Cut(lines.Text(), ":")
		switch name = strings.TrimSpace(name); name {
		case "model name", "flags", "Features", "CPU implementer", "CPU part":
			what += fmt.Sprintf(" %s=%s", name, strings.TrimSpace(value))
		}
	}
	return what
})
