package text

import "testing"

func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"0 points": Count(0, "point"), "1 point": Count(1, "point"), "2 points": Count(2, "point"),
		"1 class": Count(1, "class", "classes"), "3 classes": Count(3, "class", "classes"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestList(t *testing.T) {
	words := []string{"x", "y", "z"}
	for most, want := range map[int]string{1: "x, … 2 more", 2: "x, y, … 1 more", 3: "x, y, z", 9: "x, y, z"} {
		if got := List(words, most); got != want {
			t.Errorf("the first %d: %q, want %q", most, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	for n, want := range map[int]string{1: "…", 3: "né…", 4: "née!", 5: "née!"} {
		if got := Shorten("née!", n); got != want {
			t.Errorf("in %d runes: %q, want %q", n, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{
		"cluster", "reproduce", "report", "table3", "mog-dac", "mog-ncp",
		"train.steps", "loss.lambda", "test.n", "bash", "NMI",
	}
	for word, want := range map[string]string{
		"clutser": "cluster", "CLUSTER": "cluster", "repro": "reproduce",
		"rep": "report", "reprot": "report", "tabel3": "table3",
		"mog-npc": "mog-ncp", "steps": "train.steps", "train.step": "train.steps",
		"loss.lamda": "loss.lambda", "test.N": "test.n",
		"nonsense": "", "tcsh": "", "NIM": "", "x": "", "": "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("nearest to %q is %q, want %q", word, got, want)
		}
	}
}
