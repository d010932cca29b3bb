package memory

import (
	"errors"
	"math"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
)

// without lets a test set a limit, and removes it afterwards.
func without(t *testing.T) { t.Cleanup(func() { chosen.Store(0) }) }

func TestDemand(t *testing.T) {
	without(t)
	must.M(SetLimit("2GB"))
	for bytes, want := range map[float64]string{
		0: "", 2e9: "", 3.94e9: "3.9 GB", 1e18: "1.0 EB", 1e30: "B of memory", math.Inf(1): "B of memory",
	} {
		err := Demand(bytes, "a batch", "lower it")
		if (err == nil) != (want == "") || err != nil && (!usererr.Is(err) || !strings.Contains(err.Error(), want) ||
			!strings.HasSuffix(err.Error(), "but 2.0 GB may be used; lower it") || !errors.Is(err, ErrLimit)) {
			t.Errorf("%g bytes of 2 GB: %v", bytes, err)
		}
	}
}

func TestSetLimitRefuses(t *testing.T) {
	without(t)
	for _, size := range []string{"", "much", "-1GB", "0", "1MB", "NaN"} {
		if err := SetLimit(size); !usererr.Is(err) {
			t.Errorf("%q gave %v", size, err)
		}
	}
	if chosen.Load() != 0 {
		t.Error("a refused size was kept")
	}
}

// Without a choice the limit is below what the kernel says the machine has.
func TestLimitOfTheMachine(t *testing.T) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		t.Skip("no /proc/meminfo here")
	}
	found := regexp.MustCompile(`MemTotal: +(\d+) kB`).FindStringSubmatch(string(text))
	total := must.M1(strconv.ParseFloat(found[1], 64))
	if limit := Limit(); limit > 1024*total*share || limit < 1<<20 {
		t.Errorf("the limit is %s of %s", Size(limit), Size(1024*total))
	}
}

// While works last the collector's limit is the sum of what they need, and afterwards what it was; never more than that
// or than the program may use, and nothing where the user has set it.
func TestExpect(t *testing.T) {
	without(t)
	t.Setenv("GOMEMLIMIT", "")
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	defer debug.SetMemoryLimit(limit())
	debug.SetMemoryLimit(3e9)
	first := Expect(1e9)
	if limit() != 1e9 {
		t.Errorf("of 1 GB the limit is %d", limit())
	}
	second, third := Expect(5e8), Expect(math.Inf(1))
	if limit() != 3e9 {
		t.Errorf("it rose to %d", limit())
	}
	third()
	if third(); math.Abs(float64(limit()-1.5e9)) > 4096 { // rounding beside a very large number
		t.Errorf("of 1.5 GB it is %d", limit())
	}
	first()
	if second(); limit() != 3e9 {
		t.Errorf("after the works it is %d", limit())
	}
	t.Setenv("GOMEMLIMIT", "2GiB")
	if Expect(1e9); limit() != 3e9 {
		t.Errorf("the user's choice became %d", limit())
	}
}
