package cputime

import "time"

var start = time.Now()
