package main

import (
	"embed"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/internal/usererr"
)

// scripts are the shells' halves of completion: each asks the program for its commands and flags by completionFlag. The
// script of fish is the library's, which holds them all.
//
//go:embed completion/gfncp.*
var scripts embed.FS

// completionFlag at the end of a command line asks the library for the commands or flags that may follow.
const completionFlag = "--generate-bash-completion"

func completion(c *cli.Context) error {
	shell := c.Args().First()
	text, err := scripts.ReadFile("completion/gfncp." + shell)
	script := string(text)
	if shell == "fish" {
		script, err = c.App.ToFishCompletion()
	}
	if err != nil {
		return usererr.Unknown(shell, []string{"bash", "zsh", "fish"}, "there is no completion for %q", shell)
	}
	_, err = io.WriteString(c.App.Writer, script)
	return err
}

// man prints the manual page, which the library makes of the help texts.
func man(c *cli.Context) error {
	everyCommand(c.App.Name, c.App.Commands, func(_ string, c *cli.Command) { c.UsageText = c.Description })
	page, err := c.App.ToManWithSection(1)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(c.App.Writer, page)
	return err
}
