package files

// ListPictures returns the paths of the PNG and JPEG images, by name, in a folder and its sub-folders, relative to it, with
// slashes, sorted. Hidden files and folders are left out. Links to files are followed, links to folders are not.
func ListPictures(folder string) ([]string, error) {
	pictures, _, err := listPictures(folder)
	return pictures, err
}
