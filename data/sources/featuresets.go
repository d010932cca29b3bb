package sources

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// featureSet is a data set of vectors of length 1, one half of its classes in each split: features of ImageNet, which the user
// supplies as a file, or a synthetic stand-in, which is computed.
type featureSet struct {
	Info
	classes int
}

// featureFolder is the sub-folder of the data folder where files of features are sought.
const featureFolder = "imagenet"

// featureSets are the known ones, in the order of data.FeatureSets.
var featureSets = []featureSet{
	imageNet(data.SourceIN50, 50), imageNet(data.SourceIN100, 100), imageNet(data.SourceIN200, 200),
	standinSet(data.SourceStandin50, 50), standinSet(data.SourceStandin100, 100), standinSet(data.SourceStandin200, 200),
}

// imageNet describes a subset of ImageNet (Deng et al. 2009) as features of DINO (Caron et al. 2021, arXiv:2104.14294).
func imageNet(name string, classes int) featureSet {
	return featureSet{classes: classes, Info: Info{
		Name: name, Aliases: []string{}, Title: fmt.Sprintf("ImageNet-%d, DINO ViT-S/16 features", classes), Licence: "ImageNet terms",
		Source: "https://www.image-net.org/", Folder: featureFolder, Dim: data.FeatureDim,
		TrainClasses: classes / 2, TestClasses: classes / 2, Classes: []string{},
	}}
}

func standinSet(name string, classes int) featureSet {
	half := classes / 2
	return featureSet{classes: classes, Info: Info{
		Name: name, Aliases: []string{}, Title: fmt.Sprintf("Synthetic stand-in for ImageNet-%d features", classes), Licence: "none needed",
		Source: "computed, no ImageNet data", Dim: data.FeatureDim, Train: half * standinPoints, Test: half * standinPoints,
		TrainClasses: half, TestClasses: half, Classes: []string{}, Synthetic: true,
	}}
}

// Features describes the feature sets that this package knows: those of ImageNet, then their synthetic stand-ins.
func Features() []Info {
	var all []Info
	for _, set := range featureSets {
		all = append(all, set.Info)
	}
	return all
}

// findFeatures returns the feature set of this name.
func findFeatures(name string) (set featureSet, found bool) {
	for _, set := range featureSets {
		if strings.EqualFold(name, set.Name) {
			return set, true
		}
	}
	return set, false
}

// load reads or computes a split.
func (s featureSet) load(dir, split string) (*data.Pool, error) {
	if split != Train && split != Test {
		return nil, usererr.New("choose train or test", "%s has no split %q", s.Name, split)
	}
	if s.Synthetic {
		return standin(s, split), nil
	}
	path, found, err := s.find(dir)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, s.missing(path)
	}
	pool, err := s.read(path)
	if err != nil {
		return nil, err
	}
	half := classHalf(pool, split)
	half.Name = s.Name + "/" + split
	return half, half.Check()
}

// featureEndings are the kinds of files that are sought, in this order.
var featureEndings = []string{".npz", ".safetensors", ".parquet", ".npy", ".csv"}

// find returns the set's file in dir, or in Dir() if dir is empty; path is where it could be if there is none.
func (s featureSet) find(dir string) (path string, found bool, err error) {
	folder, err := dataFolder(dir, s.Folder)
	if err != nil {
		return "", false, err
	}
	for _, ext := range featureEndings {
		path := filepath.Join(folder, s.Name+ext)
		switch _, err := os.Stat(path); {
		case err == nil:
			return path, true, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", false, fileio.OpenFault(path, err)
		}
	}
	return filepath.Join(folder, s.Name+featureEndings[0]), false, nil
}

// missing says that there is no file, and what to do.
func (s featureSet) missing(path string) error {
	return &usererr.Error{
		Msg: fmt.Sprintf("%s is not there: no %s with the ending %s, in %s", s.Name, s.Name, strings.Join(featureEndings, ", "), filepath.Dir(path)),
		Hint: fmt.Sprintf("run gfncp features dino --images DIR --out %s, or use the synthetic stand-in %s",
			path, strings.Replace(s.Name, "in", "standin", 1)),
		Err: ErrMissing,
	}
}

// read opens the set's file, checks that it holds what its name says, and brings all vectors to length 1.
func (s featureSet) read(path string) (*data.Pool, error) {
	pool, _, err := files.Open(path, files.DefaultOptions())
	if err != nil {
		return nil, err
	}
	rewrite := fmt.Sprintf("write it with gfncp features dino --images DIR --out %s, one sub-folder of DIR a class", path)
	switch {
	case pool.IsImages():
		return nil, usererr.File(path, 0, rewrite, "holds images, not features")
	case pool.Labels == nil:
		return nil, usererr.File(path, 0, rewrite, "holds no labels, which %s needs", s.Name)
	}
	if n := usedClasses(pool); n != s.classes {
		return nil, usererr.File(path, 0, rewrite, "holds %s, not the %d of %s", text.Count(n, "class", "classes"), s.classes, s.Name)
	}
	return pool, normalise(path, pool)
}

// normalise divides each vector by its length.
func normalise(path string, pool *data.Pool) error {
	for i := range pool.Len() {
		point, sum := pool.Point(i), 0.0
		for _, v := range point {
			sum += float64(v) * float64(v)
		}
		if sum == 0 {
			return usererr.File(path, 0, "leave it out", "vector %d is 0 and has no direction", i)
		}
		length := math.Sqrt(sum)
		for j, v := range point {
			point[j] = float32(float64(v) / length)
		}
	}
	return nil
}

// verify reads the set's file, if there is one. A file that does not hold the set is damaged; the fault says why.
func (s featureSet) verify(dir string) ([]FileStatus, error) {
	if s.Synthetic {
		return []FileStatus{{File: s.Name, State: Synthetic}}, nil
	}
	path, found, err := s.find(dir)
	if err != nil {
		return nil, err
	}
	status := FileStatus{File: filepath.Base(path), Path: path, State: Missing}
	if found {
		status.State = OK
		var fault *usererr.Error
		switch _, err := s.read(path); {
		case errors.As(err, &fault):
			status.State, status.Fault = Damaged, fault.Msg
		case err != nil:
			return nil, err
		}
	}
	return []FileStatus{status}, nil
}
