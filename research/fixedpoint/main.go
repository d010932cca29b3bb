// Command fixedpoint computes the point to which training converges without a network: the energy of every state is a
// free number and the law of the data is known. docs/objective.md discusses its table.
//
//	cd research/fixedpoint
//	go run . -out ../../results/small     # two minutes
package main

import (
	"flag"
	"os"

	"github.com/janpfeifer/must"
)

func main() {
	out := flag.String("out", "results", "folder of the table and its figure")
	flag.Parse()
	const starts = 4 // the law itself among them
	s := newStudy(len(lineData), starts)
	must.M(s.table.Write(*out))
	must.M(s.table.Text(os.Stdout))
}
