// No Go here: this file keeps the results, 10 MB, out of what users of the module download.
module github.com/gfncp/gfncp/results

go 1.27.0
