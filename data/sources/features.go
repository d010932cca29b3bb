package sources

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

func loadFeatures(d data.Descriptor, folder, split string) (*data.Pool, error) {
	path := featurePath(d, folder)
	pool, err := readFeatures(d, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missingFeatures(d, path)
	}
	if err != nil {
		return nil, err
	}
	half := classHalf(pool, split)
	half.Name = d.Name + "/" + split
	return half, half.Check()
}

// featurePath is the set's file in a folder.
func featurePath(d data.Descriptor, folder string) string {
	return filepath.Join(folder, d.Name+".npy")
}

func missingFeatures(d data.Descriptor, path string) error {
	hint := fmt.Sprintf("run python/features.py FOLDER %s (docs/your-data.md), or use the synthetic stand-in %s",
		path, data.Standin(d.Name))
	return usererr.New(hint, "%s is not there: no file %s", d.Name, path).Because(ErrMissing)
}

// readFeatures opens the set's file, checks that it fits its name, and brings all vectors to length 1.
func readFeatures(d data.Descriptor, path string) (*data.Pool, error) {
	in, err := files.Open(path, files.Options{})
	if err != nil {
		return nil, err
	}
	pool := in.Pool
	rewrite := fmt.Sprintf("write it with python/features.py FOLDER %s, one sub-folder of FOLDER a class", path)
	if pool.Labels == nil {
		return nil, usererr.File(path, 0, rewrite, "holds no labels, which %s needs", d.Name)
	}
	if n := len(classOrder(pool)); n != d.TrainClasses+d.TestClasses {
		return nil, usererr.File(path, 0, rewrite, "holds %s, not the %d of %s",
			text.Count(n, "class"), d.TrainClasses+d.TestClasses, d.Name)
	}
	if zeros := pool.Normalize(); len(zeros) > 0 {
		return nil, usererr.File(path, 0, "leave it out", "vector %d is 0 and has no direction", zeros[0])
	}
	return pool, nil
}

// verifyFeatures reads the set's file. A file that does not hold the set is damaged; the fault says why.
func verifyFeatures(d data.Descriptor, folder string) ([]FileStatus, error) {
	path := featurePath(d, folder)
	status := FileStatus{File: filepath.Base(path), Path: path, State: OK}
	_, err := readFeatures(d, path)
	fault, is := errors.AsType[*usererr.Error](err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		status.State = Missing
	case is:
		status.State, status.Fault = Damaged, fault.Msg
	case err != nil:
		return nil, err
	}
	return []FileStatus{status}, nil
}

// classHalf returns the points of the first half of a pool's classes (training), or of the second half (test), which
// gets the middle class if their number is odd. The order is classOrder; the classes of the half are numbered anew.
func classHalf(pool *data.Pool, split string) *data.Pool {
	order := classOrder(pool)
	from, to := 0, len(order)/2
	if split == data.SplitTest {
		from, to = to, len(order)
	}
	half := &data.Pool{Name: pool.Name, D: pool.D}
	for _, class := range order[from:to] {
		half.Classes = append(half.Classes, pool.Classes[class])
	}
	for i, class := range pool.Labels {
		if label := slices.Index(order[from:to], class); label >= 0 {
			half.X = append(half.X, pool.Point(i)...)
			half.Labels = append(half.Labels, int32(label))
		}
	}
	return half
}

// classOrder lists the classes that have points: by their names if these are all numbers, otherwise as the pool numbers
// them. With names that are numbers, shuffled points give the same halves.
func classOrder(pool *data.Pool) []int32 {
	order := slices.Compact(slices.Sorted(slices.Values(pool.Labels)))
	numbers := map[int32]int{}
	for _, class := range order {
		n, err := strconv.Atoi(pool.Classes[class])
		if err != nil {
			return order
		}
		numbers[class] = n
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(numbers[a], numbers[b]) })
	return order
}
