package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/internal/usererr"
)

// SlurmOptions is what a sweep asks a cluster for, for each job. What is empty or 0 is left to the cluster, where no other default
// is named.
type SlurmOptions struct {
	Partition string   `json:"partition,omitempty"`
	Account   string   `json:"account,omitempty"`
	Time      string   `json:"time,omitempty"`       // limit of one attempt, as sbatch --time takes it: 30, 2:00:00, 1-12
	CPUs      int      `json:"cpus,omitempty"`       // cores of a job
	GPUs      string   `json:"gpus,omitempty"`       // "1", or with their kind "a100:1"
	Memory    string   `json:"memory,omitempty"`     // of a job on its node: "8G"
	AtOnce    int      `json:"at_once,omitempty"`    // jobs that may run at the same time; 0: no bound
	Requeues  int      `json:"requeues,omitempty"`   // how often a job queues itself again when its time is up; 0: 10
	WarnAhead int      `json:"warn_ahead,omitempty"` // seconds before the time limit at which a job starts to leave; 0: 90
	Extra     []string `json:"extra,omitempty"`      // further options of sbatch, such as "--constraint=ib"
	Setup     []string `json:"setup,omitempty"`      // shell lines before the worker starts, such as "module load cuda"
}

// The defaults of SlurmOptions. Slurm may send the warning up to a minute early.
const (
	slurmRequeues  = 10
	slurmWarnAhead = 90
)

// or fills in what is not set from what was said before.
func (o SlurmOptions) or(before SlurmOptions) SlurmOptions {
	pick := func(to *string, from string) {
		if *to == "" {
			*to = from
		}
	}
	pickInt := func(to *int, from int) {
		if *to == 0 {
			*to = from
		}
	}
	pick(&o.Partition, before.Partition)
	pick(&o.Account, before.Account)
	pick(&o.Time, before.Time)
	pick(&o.GPUs, before.GPUs)
	pick(&o.Memory, before.Memory)
	pickInt(&o.CPUs, before.CPUs)
	pickInt(&o.AtOnce, before.AtOnce)
	pickInt(&o.Requeues, before.Requeues)
	pickInt(&o.WarnAhead, before.WarnAhead)
	if o.Extra == nil {
		o.Extra = before.Extra
	}
	if o.Setup == nil {
		o.Setup = before.Setup
	}
	return o
}

var (
	slurmWord   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.,-]*$`)
	slurmTime   = regexp.MustCompile(`^(\d+(:\d+){0,2}|\d+-\d+(:\d+){0,2})$`)
	slurmGPUs   = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_.-]*:)?[1-9]\d*$`)
	slurmMemory = regexp.MustCompile(`^\d+[KMGT]?$`)
	slurmOption = regexp.MustCompile(`^(--[a-z][a-z-]*|-[A-Za-z])([= ].*)?$`)
)

// slurmOwn are options of sbatch that the executor needs as it sets them.
var slurmOwn = []string{
	"--array", "-a", "--job-name", "-J", "--output", "-o", "--open-mode", "--chdir", "-D", "--requeue", "--no-requeue",
	"--signal", "--parsable", "--test-only", "--wrap", "--wait", "-W",
}

// Validate reports every option that a script cannot hold; whether a cluster grants them sbatch knows.
func (o SlurmOptions) Validate() error {
	var faults usererr.Faults
	demand := func(name, value string, form *regexp.Regexp, bound string) {
		faults.Demand(value == "" || form.MatchString(value), name, value, bound)
	}
	demand("--partition", o.Partition, slurmWord, "a partition of sinfo")
	demand("--account", o.Account, slurmWord, "an account")
	demand("--time", o.Time, slurmTime, "minutes, hours:minutes:seconds or days-hours, such as 2:00:00")
	demand("--gpus", o.GPUs, slurmGPUs, "a number, or kind:number such as a100:1")
	demand("--memory", o.Memory, slurmMemory, "megabytes, or a number with K, M, G or T")
	for _, count := range []struct {
		name  string
		value int
	}{{"--cpus", o.CPUs}, {"--at-once", o.AtOnce}, {"--requeues", o.Requeues}, {"--warn-ahead", o.WarnAhead}} {
		faults.Demand(count.value >= 0 && count.value <= 65535, count.name, count.value, "0..65535")
	}
	warn := cmp.Or(o.WarnAhead, slurmWarnAhead)
	if limit := slurmSeconds(o.Time); limit > 0 && limit <= warn {
		faults = append(faults, usererr.New("give a longer --time, or a smaller --warn-ahead",
			"--time %s is over before a job has begun: it leaves a checkpoint %d seconds ahead", o.Time, warn))
	}
	for _, option := range o.Extra {
		name, _, _ := strings.Cut(strings.ReplaceAll(option, " ", "="), "=")
		switch {
		case !slurmOption.MatchString(option) || strings.ContainsAny(option, "\n\r"):
			faults = append(faults, usererr.New("write it as sbatch takes it, such as --constraint=ib", "--sbatch %q is no option of sbatch", option))
		case slices.Contains(slurmOwn, name):
			faults = append(faults, usererr.New("leave it out", "--sbatch %q is set by the sweep itself", option))
		}
	}
	for _, line := range o.Setup {
		if strings.ContainsAny(line, "\n\r") {
			faults = append(faults, usererr.New("give --setup once for each line", "--setup %q has more than one line", line))
		}
	}
	return errors.Join(faults...)
}

// slurmSeconds is a time limit in seconds, 0 for one that slurmTime does not match.
func slurmSeconds(limit string) int {
	if !slurmTime.MatchString(limit) {
		return 0
	}
	days, rest, hasDays := strings.Cut(limit, "-")
	if !hasDays {
		days, rest = "0", limit
	}
	var parts [3]int // hours, minutes, seconds
	words := strings.Split(rest, ":")
	first := 0 // D-H, D-H:M, D-H:M:S, H:M:S
	if !hasDays && len(words) < 3 {
		first = 1 // M, M:S
	}
	for i, word := range words {
		parts[first+i], _ = strconv.Atoi(word)
	}
	d, _ := strconv.Atoi(days)
	return ((d*24+parts[0])*60+parts[1])*60 + parts[2]
}

// lines are the options of sbatch for what is set.
func (o SlurmOptions) lines() (lines []string) {
	add := func(set bool, format string, value any) {
		if set {
			lines = append(lines, fmt.Sprintf(format, value))
		}
	}
	add(o.Partition != "", "--partition=%s", o.Partition)
	add(o.Account != "", "--account=%s", o.Account)
	add(o.Time != "", "--time=%s", o.Time)
	add(o.CPUs > 0, "--cpus-per-task=%d", o.CPUs)
	add(o.GPUs != "", "--gres=gpu:%s", o.GPUs)
	add(o.Memory != "", "--mem=%s", o.Memory)
	return append(lines, o.Extra...)
}
