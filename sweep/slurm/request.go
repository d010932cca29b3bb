package slurm

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/sweep"
)

// Request is what a sweep asks a cluster for, for each job. What is empty or 0 is left to the cluster, where no other
// default is named.
type Request struct {
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

// The defaults of Request. Slurm may send the warning up to a minute early.
const (
	requeues  = 10
	warnAhead = 90
)

// field is one field of a Request: its option, what its text may be, and how sbatch takes it.
type field struct {
	sweep.Option
	form   *regexp.Regexp // of a text
	bound  string         // the form in words
	sbatch string         // the format of its line; "" where the script itself uses it
}

// fields lists them all in their order.
func (r *Request) fields() []field {
	option := func(name string, value any, usage string) sweep.Option {
		return sweep.Option{Name: name, Usage: usage, Value: value}
	}
	return []field{
		{option("partition", &r.Partition, "partition"), word, "a partition of sinfo", "--partition=%s"},
		{option("account", &r.Account, "account"), word, "an account", "--account=%s"},
		{
			option("time", &r.Time, "limit of one attempt, such as 2:00:00; a job that meets it continues in another"),
			limit, "minutes, hours:minutes:seconds or days-hours, such as 2:00:00", "--time=%s",
		},
		{option("cpus", &r.CPUs, "cores of each job"), nil, "", "--cpus-per-task=%d"},
		{
			option("gpus", &r.GPUs, "GPUs of each job, such as 1 or a100:1"),
			regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_.-]*:)?[1-9]\d*$`), "a number, or kind:number such as a100:1",
			"--gres=gpu:%s",
		},
		{
			option("memory", &r.Memory, "memory of each job, such as 8G"),
			regexp.MustCompile(`^\d+[KMGT]?$`), "megabytes, or a number with K, M, G or T", "--mem=%s",
		},
		{option("at-once", &r.AtOnce, "jobs that may run at the same time"), nil, "", ""},
		{option("requeues", &r.Requeues, "how often a job may continue after its time was up (default 10)"), nil, "", ""},
		{
			option("warn-ahead", &r.WarnAhead, "seconds before the limit at which a job leaves a checkpoint (default 90)"), nil,
			"", "",
		},
		{
			option("sbatch", &r.Extra, "a further option of sbatch, such as --sbatch=--constraint=ib; may be repeated"), nil,
			"", "",
		},
		{option("setup", &r.Setup, `a shell line before each job, such as "module load cuda"; may be repeated`), nil, "", ""},
	}
}

// or fills in what is not set from what was said before.
func (r Request) or(before Request) Request {
	from := before.fields()
	for i, f := range r.fields() {
		if to := reflect.ValueOf(f.Value).Elem(); to.IsZero() {
			to.Set(reflect.ValueOf(from[i].Value).Elem())
		}
	}
	return r
}

// lines are the options of sbatch for what is set.
func (r Request) lines() (lines []string) {
	for _, f := range r.fields() {
		if value := reflect.ValueOf(f.Value).Elem(); f.sbatch != "" && !value.IsZero() {
			lines = append(lines, fmt.Sprintf(f.sbatch, value))
		}
	}
	return append(lines, r.Extra...)
}

var (
	word   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.,-]*$`)
	limit  = regexp.MustCompile(`^(\d+(:\d+){0,2}|\d+-\d+(:\d+){0,2})$`)
	option = regexp.MustCompile(`^(--[a-z][a-z-]*|-[A-Za-z])([= ].*)?$`)
)

// own are options of sbatch that the executor needs as it sets them.
var own = []string{
	"--array", "-a", "--job-name", "-J", "--output", "-o", "--open-mode", "--chdir", "-D", "--requeue", "--no-requeue",
	"--signal", "--parsable", "--test-only", "--wrap", "--wait", "-W",
}

// Validate reports every option that a script cannot hold; whether a cluster grants them sbatch knows.
func (r Request) Validate() error {
	var faults usererr.Faults
	for _, f := range r.fields() {
		switch value := f.Value.(type) {
		case *string:
			faults.Demand(*value == "" || f.form.MatchString(*value), "--"+f.Name, *value, f.bound)
		case *int:
			faults.Demand(*value >= 0 && *value <= 65535, "--"+f.Name, *value, "0..65535")
		}
	}
	warn := cmp.Or(r.WarnAhead, warnAhead)
	if limit := seconds(r.Time); limit > 0 && limit <= warn {
		faults = append(faults, usererr.New("give a longer --time, or a smaller --warn-ahead",
			"--time %s is over before a job has begun: it leaves a checkpoint %d seconds ahead", r.Time, warn))
	}
	for _, extra := range r.Extra {
		name, _, _ := strings.Cut(strings.ReplaceAll(extra, " ", "="), "=")
		switch {
		case !option.MatchString(extra) || strings.ContainsAny(extra, "\n\r"):
			faults = append(faults,
				usererr.New("write it as sbatch takes it, such as --constraint=ib", "--sbatch %q is no option of sbatch", extra))
		case slices.Contains(own, name):
			faults = append(faults, usererr.New("leave it out", "--sbatch %q is set by the sweep itself", extra))
		}
	}
	for _, line := range r.Setup {
		if strings.ContainsAny(line, "\n\r") {
			faults = append(faults, usererr.New("give --setup once for each line", "--setup %q has more than one line", line))
		}
	}
	return errors.Join(faults...)
}

// seconds is a time limit in seconds, 0 for one that has not its form.
func seconds(text string) int {
	if !limit.MatchString(text) {
		return 0
	}
	days, rest, hasDays := strings.Cut(text, "-")
	if !hasDays {
		days, rest = "0", text
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
