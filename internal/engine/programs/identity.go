package programs

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
)

// FileIdentity identifies the build of a plugin: by its path, size and time. Reading all of its hundreds of megabytes
// would take longer than loading a program.
func FileIdentity(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %d bytes of %d", path, info.Size(), info.ModTime().UnixNano()), nil
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
