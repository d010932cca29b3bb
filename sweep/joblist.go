package sweep

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gfncp/gfncp/internal/usererr"
)

// listedJob is a [[job]] of a sweep file: a command, or one for each of several words.
type listedJob struct {
	line      int
	name, run string
	each      []string // words that stand for {} in name and run, a job each; empty: one job
	command   Command  // without its Line
}

// placeholder stands in a listed job's name and command for each of its words.
const placeholder = "{}"

var (
	jobName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	jobWord  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ,._:/=+-]*$`) // nothing that a shell reads within quotes
	wordGaps = regexp.MustCompile(`[^A-Za-z0-9._]+`)
)

func (s *Spec) addJob(e entry) error {
	if e.Item < 0 {
		return usererr.New("write each job as [[job]]", "job is no array of tables")
	}
	for len(s.jobs) <= e.Item {
		s.jobs = append(s.jobs, listedJob{line: e.Line})
	}
	j := &s.jobs[e.Item]
	switch e.Key {
	case "": // the head of the job
		return nil
	case "name":
		return read(e, &j.name)
	case "run":
		return read(e, &j.run)
	case "limit":
		return readDuration(e, &j.command.Limit)
	case "expect":
		return readDuration(e, &j.command.Expect)
	case "needed":
		needed, ok := e.Value.(bool)
		if j.command.Needed = needed; !ok {
			return usererr.New("write true or false", "needed = %v is neither", e.Value)
		}
		return nil
	case "each":
		for _, v := range list(e) {
			var word string
			if err := read(entry{Key: e.Key, Value: v}, &word); err != nil {
				return err
			}
			if !jobWord.MatchString(word) {
				return usererr.New("use letters, digits, blanks and , . _ : / = + -", "each has %q", word)
			}
			j.each = append(j.each, word)
		}
		if len(j.each) == 0 {
			return usererr.New(`write for example each = ["gfncp", "ncp"]`, "each is empty, or no list")
		}
		return nil
	default:
		keys := []string{"name", "run", "limit", "expect", "needed", "each"}
		return unknownKey("job."+e.Key, usererr.DidYouMean(e.Key, keys, "a job has "+strings.Join(keys, ", ")))
	}
}

// readDuration puts a time such as "2m" where it belongs.
func readDuration(e entry, to *Duration) error {
	text, _ := e.Value.(string)
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return usererr.New(`write for example "90s" or "25m"`, "%s = %v is no time above 0", e.Key, e.Value)
	}
	to.Duration = d
	return nil
}

func (s *Spec) commands() (jobs []Job, err error) {
	for _, listed := range s.jobs {
		fault := func(hint, format string, args ...any) error {
			return usererr.File(s.Path, listed.line, hint, format, args...)
		}
		if listed.run == "" {
			return nil, fault(`write for example run = "gfncp doctor"`, "a job has no command")
		}
		if len(listed.each) > 0 && !(strings.Contains(listed.name, placeholder) &&
			strings.Contains(listed.run, placeholder)) {
			return nil, fault("write "+placeholder+" in name and in run, where the words of each go",
				"job %q has no place for its words", listed.name)
		}
		words := listed.each
		if len(words) == 0 {
			words = []string{""}
		}
		for _, word := range words {
			name := strings.ReplaceAll(listed.name, placeholder,
				strings.Trim(wordGaps.ReplaceAllString(word, "-"), "-"))
			if !jobName.MatchString(name) {
				return nil, fault("use letters, digits, . _ -: it names the job's log",
					"job name %q cannot name a file", name)
			}
			if slices.ContainsFunc(jobs, func(j Job) bool { return j.Run == name }) {
				return nil, fault("give each job its own name", "a second job is called %s", name)
			}
			command := listed.command
			if command.Line = listed.run; word != "" {
				command.Line = strings.ReplaceAll(listed.run, placeholder, word)
			}
			jobs = append(jobs, Job{N: len(jobs) + 1, Name: name, Run: name, Command: &command})
		}
	}
	return jobs, nil
}

// checkOnlyJobs reports what makes no sense in a file of nothing but jobs.
func (s *Spec) checkOnlyJobs() error {
	for _, a := range slices.Concat(s.base, s.set) {
		return usererr.File(s.Path, a.Line, "write [grid] or [[list]] as well, or leave it out",
			"%s changes no job", a.Key)
	}
	if len(s.Seeds) > 0 || s.Metric != "" || len(s.Metrics) > 0 {
		return usererr.File(s.Path, 0, "leave them out",
			"seeds and metrics belong to a [grid] or [[list]], and there is none")
	}
	return nil
}

// needed is the first job before j that must be done for j to start and is not, or nil.
func (s *Sweep) needed(j Job) (*Job, error) {
	for _, before := range s.Plan.Jobs[:j.N-1] {
		if before.Command == nil || !before.Command.Needed {
			continue
		}
		if state, err := s.State(before); err != nil || state.Status != Done {
			return &before, err
		}
	}
	return nil, nil
}
