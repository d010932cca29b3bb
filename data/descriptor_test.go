package data

import (
	"slices"
	"strings"
	"testing"
)

// TestSources: names and aliases are told apart, and found in any case; a user's file stands last, for messages.
func TestSources(t *testing.T) {
	all := Sources()
	if all[0].Name != SourceMoG || all[len(all)-1].Name != SourceFile {
		t.Errorf("the first source is %s, the last %s", all[0].Name, all[len(all)-1].Name)
	}
	seen := map[string]bool{}
	for _, d := range all {
		for _, name := range append([]string{d.Name}, d.Aliases...) {
			if seen[name] {
				t.Errorf("%s names two sources", name)
			}
			seen[name] = true
			if found, ok := FindSource(strings.ToUpper(name)); !ok || found.Name != d.Name {
				t.Errorf("%s finds %q", strings.ToUpper(name), found.Name)
			}
		}
		c := Default(d.Name)
		if c.Path = "anywhere"; c.Validate() != nil || c.Source != d.Name || c.Descriptor().Shape != d.Shape {
			t.Errorf("%s: the default is %s: %v", d.Name, c, c.Validate())
		}
		if _, err := DataSet(d.Name); (err == nil) != (d.Shape == Images || d.Shape == Vectors) {
			t.Errorf("%s as a data set: %v", d.Name, err)
		}
	}
	if c := Default("Fashion-MNIST"); c.Source != SourceFashion {
		t.Errorf("an alias gives source %q", c.Source)
	}
	if c := Default("cifar"); c.Validate() == nil {
		t.Error("an unknown source is valid")
	}
}

// TestRegister adds a data set of images, which configurations, messages and defaults know at once.
func TestRegister(t *testing.T) {
	before := slices.Clone(registered)
	t.Cleanup(func() { registered = before })
	Register(Descriptor{
		Name: "kmnist", Title: "Kuzushiji-MNIST", Shape: Images, Height: 28, Width: 28, Alpha: 1, Folder: "kmnist",
	})
	c := Default("kmnist")
	if err := c.Validate(); err != nil || !c.IsImages() || c.HeldOut(1, 20, 0).Split != SplitTest {
		t.Errorf("%s: %v", c, err)
	}
	if err := (Config{Source: "cifar"}).Validate(); !strings.Contains(err.Error(), `"kmnist" or "file"`) {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a second source of this name was taken")
		}
	}()
	Register(Descriptor{Name: "Fashion-MNIST"})
}
