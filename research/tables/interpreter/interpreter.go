// Package interpreter runs Python and R scripts that read JSON from standard input and write JSON to standard output.
package interpreter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// Language is an interpreter of scripts.
type Language struct {
	Name     string // of the language, for people
	variable string // of the environment: the command, in place of commands
	commands []string
	options  []string
	lacks    *regexp.Regexp // how it says which package is missing: its name is the first group
}

// The languages. The system's python3 is tried second; GFNCP_PYTHON and GFNCP_RSCRIPT name another command.
var (
	Python = Language{
		Name: "Python", variable: "GFNCP_PYTHON", commands: []string{"python3", "/usr/bin/python3"},
		lacks: regexp.MustCompile(`No module named '(\w+)`),
	}
	R = Language{
		Name: "R", variable: "GFNCP_RSCRIPT", commands: []string{"Rscript"}, options: []string{"--vanilla"},
		lacks: regexp.MustCompile(`there is no package called .(\w+).`),
	}
)

// MissingError says that a language, or a package of it, is not installed.
type MissingError struct {
	Language string
	Package  string // "": the interpreter itself
}

func (e *MissingError) Error() string {
	if e.Package == "" {
		return e.Language + " is not installed"
	}
	return fmt.Sprintf("%s lacks the package %s", e.Language, e.Package)
}

// Run runs a script on the JSON of in, and reads the JSON that it prints into out. It is a *MissingError if the
// language or a package is not installed. Linear algebra has one thread, so that processor time is the script's own.
func (l Language) Run(ctx context.Context, script string, in, out any) error {
	request, err := json.Marshal(in)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp("", "gfncp-script-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(script)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	var missing *MissingError
	commands := l.commands
	if named := os.Getenv(l.variable); named != "" {
		commands = []string{named}
	}
	for _, command := range commands {
		answer, err := l.run(ctx, command, append(slices.Clone(l.options), file.Name()), request)
		if err == nil {
			return json.Unmarshal(answer, out)
		}
		lacks, ok := errors.AsType[*MissingError](err)
		if !ok {
			return err
		}
		if missing == nil || lacks.Package != "" {
			missing = lacks
		}
	}
	return missing
}

func (l Language) run(ctx context.Context, command string, args []string, request []byte) ([]byte, error) {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(request), &said
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	answer, err := cmd.Output()
	_, began := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return answer, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !began:
		return nil, &MissingError{Language: l.Name}
	}
	if name := l.lacks.FindStringSubmatch(said.String()); name != nil {
		return nil, &MissingError{l.Name, name[1]}
	}
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	return nil, fmt.Errorf("%s: %w: %s", l.Name, err, lines[len(lines)-1])
}
