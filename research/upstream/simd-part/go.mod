module simdpart

go 1.27.3
