package main

import (
	"bytes"
	"io"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
)

func TestFlagsFirst(t *testing.T) {
	app := newApp(io.Discard, io.Discard)
	for line, want := range map[string]string{
		"gfncp":                                     "gfncp",
		"gfncp --version":                           "gfncp --version",
		"gfncp nonsense --json x":                   "gfncp nonsense --json x",
		"gfncp cluster p.csv --json --seed 3":       "gfncp cluster --json --seed 3 p.csv",
		"gfncp cluster --seed=3 - --columns x,y":    "gfncp cluster --seed=3 --columns x,y -",
		"gfncp cluster p.csv --scale -1":            "gfncp cluster --scale -1 p.csv",
		"gfncp score -- --odd.csv --json":           "gfncp score -- --odd.csv --json",
		"gfncp cluster p.csv --unknown q":           "gfncp cluster --unknown p.csv q",
		"gfncp cluster a.csv --samples 5 - --quiet": "gfncp cluster --samples 5 --quiet a.csv -",
		"gfncp cluster a.csv --json -- --b --out":   "gfncp cluster --json -- a.csv --b --out",
		"gfncp cluster a.csv --json --out":          "gfncp cluster --json --out",
		"gfncp data fetch m --data-dir d f":         "gfncp data fetch --data-dir d m f",
		"gfncp data nonsense --json":                "gfncp data --json nonsense",
		"gfncp cluster fetch --json":                "gfncp cluster --json fetch",
		"gfncp sweep a.toml --jobs 2":               "gfncp sweep --jobs 2 a.toml",
		"gfncp sweep plan a.toml --seeds 2 --json":  "gfncp sweep plan --seeds 2 --json a.toml",
	} {
		if got := strings.Join(flagsFirst(app, strings.Fields(line)), " "); got != want {
			t.Errorf("%q becomes %q, want %q", line, got, want)
		}
	}
}

// Every command and flag is explained; the examples of the help texts are command lines that gfncp takes.
func TestHelpTexts(t *testing.T) {
	comment := regexp.MustCompile(`(   +|\s[|<>] ).*`)
	texts := newApp(nil, nil).UsageText
	everyCommand("gfncp", newApp(nil, nil).Commands, func(path string, c *cli.Command) {
		if c.Usage == "" || strings.HasSuffix(c.Usage, ".") {
			t.Errorf("%s: usage %q", path, c.Usage)
		}
		for _, f := range c.Flags {
			if usage := f.(cli.DocGenerationFlag).GetUsage(); usage == "" {
				t.Errorf("%s --%s has no usage", path, f.Names()[0])
			}
		}
		texts += "\n" + c.Description
	})
	examples := 0
	for line := range strings.Lines(texts) {
		line = comment.ReplaceAllString(strings.TrimSpace(line), "")
		if !strings.HasPrefix(line, "gfncp ") || strings.Contains(line, "COMMAND") {
			continue
		}
		app := newApp(io.Discard, io.Discard)
		everyCommand(app.Name, app.Commands, func(_ string, c *cli.Command) { c.Action = checkArguments })
		if err := app.Run(flagsFirst(app, strings.Fields(line))); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		examples++
	}
	if examples < 40 {
		t.Errorf("only %d examples were found", examples)
	}
}

// help.txt explains no command and no flag that is not there.
func TestHelpIsOfCommands(t *testing.T) {
	known := map[string]bool{"gfncp": true}
	everyCommand("gfncp", newApp(nil, nil).Commands, func(path string, c *cli.Command) {
		known[path] = true
		for _, f := range c.Flags {
			for at := path; at != ""; at = at[:max(0, strings.LastIndex(at, " "))] {
				known[at+" --"+f.Names()[0]] = true
			}
		}
	})
	for path, text := range helpTexts() {
		if !known[path] {
			t.Errorf("help.txt explains %s, which is no command", path)
		}
		for name := range text.flags {
			if !known[path+" --"+name] {
				t.Errorf("help.txt explains %s --%s, which is no flag", path, name)
			}
		}
	}
}

// help and --help know every command and every flag that is not hidden.
func TestEveryCommandIsMentioned(t *testing.T) {
	top := printed(t, "help")
	if flag := printed(t, "--help"); flag != top {
		t.Errorf("--help says %q", flag)
	}
	everyCommand("gfncp", newApp(nil, nil).Commands, func(path string, c *cli.Command) {
		if c.Hidden {
			return
		}
		words := strings.Fields(path)[1:]
		help, _, status := gfncp(append([]string{"help"}, words...)...)
		same, _, _ := gfncp(append(words, "--help")...)
		if status != exitDone || c.Name != "help" && (help != same || !strings.Contains(help, path+" - ")) {
			t.Errorf("gfncp help %s ended with %d: %s", words, status, help)
		}
		if len(words) == 1 && !strings.Contains(top, "   "+c.Name+" ") {
			t.Errorf("gfncp help does not name %s", c.Name)
		}
		for _, f := range c.VisibleFlags() {
			name := "--" + f.Names()[0]
			if c.Name != "help" && !strings.Contains(help, name) {
				t.Errorf("%s: the help does not name %s", path, name)
			}
		}
	})
}

func TestBuildVersion(t *testing.T) {
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	commit, dirty := setting("vcs.revision", "0123456789abcdef"), setting("vcs.modified", "true")
	for _, test := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, ", go1.27.3"},
		{[]debug.BuildSetting{commit}, " 0123456789ab, go1.27.3"},
		{[]debug.BuildSetting{commit, dirty}, " 0123456789ab+dirty, go1.27.3"},
	} {
		info := &debug.BuildInfo{GoVersion: "go1.27.3", Settings: test.settings}
		if got := buildVersion(info); got != root.Version+test.want {
			t.Errorf("with %v it is %q, want %q", test.settings, got, root.Version+test.want)
		}
	}
	if stdout, _ := done(t, "--version"); stdout != "gfncp version "+version()+"\n" {
		t.Errorf("--version says %q", stdout)
	}
}

// A name from a file, or of one, does not command the terminal.
func TestEscaped(t *testing.T) {
	t.Parallel()
	_, stderr, _ := gfncp("cluster", "none\x1b[31m.csv")
	if strings.Contains(stderr, "\x1b") || !strings.Contains(stderr, `none\x1b[31m.csv: no such file`) {
		t.Errorf("%q", stderr)
	}
	var out bytes.Buffer
	w := &watched{w: &out, terminal: true}
	const text = "a\x1b]0;é\x07\t\u009b\n"
	if n, err := w.Write([]byte(text)); n != len(text) || err != nil || out.String() != "a\\x1b]0;é\\a\t\\u009b\n" {
		t.Errorf("%d, %v: %q", n, err, out.String())
	}
}
