// Command thin overwrites the copies of files that are embedded in a binary with zeros, so that it compresses to less, and
// prints where they belong: "OFFSET<TAB>FILE" a line. Putting the files back at these offsets gives the same binary.
package main

import (
	"bytes"
	"fmt"
	"os"
)

func main() {
	if err := thin(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "thin:", err)
		os.Exit(1)
	}
}

// thin gets the binary and the files embedded in it.
func thin(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("usage: thin BINARY FILE, one or more files")
	}
	binary, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	for _, path := range args[1:] {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		at := bytes.Index(binary, content)
		if at < 0 || len(content) == 0 {
			return fmt.Errorf("%s is not in %s as it stands; build it from this checkout", path, args[0])
		}
		clear(binary[at : at+len(content)])
		fmt.Printf("%d\t%s\n", at, path)
	}
	return os.WriteFile(args[0], binary, 0o755)
}
