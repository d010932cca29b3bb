// Package interpreter runs Python and R scripts that read JSON from standard input and write JSON to standard output.
package interpreter

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Language is an interpreter of scripts.
type Language struct {
	Name     string // of the language, for people
	variable string // of the environment: another command
	command  []string
}

// The languages, as Debian installs them. GFNCP_PYTHON and GFNCP_RSCRIPT name another command.
var (
	Python = Language{"Python", "GFNCP_PYTHON", []string{"/usr/bin/python3", "-c"}}
	R      = Language{"R", "GFNCP_RSCRIPT", []string{"Rscript", "--vanilla", "-e"}}
)

// Run runs a script on the JSON of in, and reads the JSON that it prints into out. The error of a script that fails is
// the last line that it says, such as the name of a missing package. Linear algebra has one thread, so that processor
// time is the script's own.
func (l Language) Run(ctx context.Context, script string, in, out any) error {
	request, err := json.Marshal(in)
	if err != nil {
		return err
	}
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, cmp.Or(os.Getenv(l.variable), l.command[0]), append(l.command[1:], script)...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(request), &said
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	answer, err := cmd.Output()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		return fmt.Errorf("%s: %w %s", l.Name, err, lines[len(lines)-1])
	}
	return json.Unmarshal(answer, out)
}
