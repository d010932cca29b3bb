package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/board"
)

// boardAction serves the board until it is interrupted, which is its good end.
func boardAction(c *cli.Context) error {
	folders := c.Args().Slice()
	if len(folders) == 0 {
		folders = []string{"runs"}
	}
	b := &board.Board{Folders: folders}
	return b.Serve(c.Context, c.Int("port"), func(url string) {
		fmt.Fprintln(c.App.Writer, url)
		say(c, "the board of %s; it can be opened on this machine alone, by who has the address. Ctrl-C ends it",
			strings.Join(b.Folders, ", "))
	})
}
