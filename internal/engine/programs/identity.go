package programs

import (
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

// Processor returns Linux's facts about the first processor, by names such as "model name"; elsewhere it is empty.
var Processor = sync.OnceValue(func() map[string]string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	first, _, _ := strings.Cut(string(text), "\n\n")
	facts := map[string]string{}
	for line := range strings.Lines(first) {
		name, value, _ := strings.Cut(line, ":")
		facts[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return facts
})

// Host identifies the processor that programs are compiled for: by name and features where Linux shows them, else by
// the machine's name. It includes the number of cores, because XLA divides work among them when it compiles.
var Host = sync.OnceValue(func() string {
	what := fmt.Sprintf("%s/%s %d", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if len(Processor()) == 0 {
		name, _ := os.Hostname() // without a name, all machines of the kind
		return what + " " + name
	}
	for _, name := range []string{"model name", "flags", "Features", "CPU implementer", "CPU part"} {
		if value, ok := Processor()[name]; ok {
			what += fmt.Sprintf(" %s=%s", name, value)
		}
	}
	return what
})
