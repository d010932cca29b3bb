package tensorboard

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/testfiles"
)

var noon = time.Unix(1_700_000_000, 0)

// file is what a file with some events holds: the version, the start of a session at step 1, then the events.
func file(now time.Time, events ...[]byte) string {
	content := appendRecord(appendRecord(nil, versionEvent(now)), startEvent(now))
	for _, e := range events {
		content = appendRecord(content, e)
	}
	return string(content)
}

// What was added is in the file at once, whole, without Sync or Close. A float64 beyond float32 becomes infinite, which
// viewers show.
func TestWriter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run", "tensorboard")
	w := must.M1(Create(dir, noon))
	if name := filepath.Base(w.file.Name()); name != "events.out.tfevents.1700000000" {
		t.Errorf("the file is %s", name)
	}
	first := []Scalar{{"train/loss", 0.1}, {"train/nll", -3}}
	must.M(w.Add(noon.Add(time.Second), 1, first...))
	must.M(w.Add(noon.Add(1500*time.Millisecond), 300, Scalar{"valid/loss", math.MaxFloat64}))
	want := file(noon, scalarsEvent(noon.Add(time.Second), 1, first),
		scalarsEvent(noon.Add(1500*time.Millisecond), 300, []Scalar{{"valid/loss", math.Inf(1)}}))
	if got := string(must.M1(os.ReadFile(w.file.Name()))); got != want {
		t.Errorf("the file holds\n%q, want\n%q", got, want)
	}
	must.M(w.Close())
}

// Each file replaces the older ones, also within a second and with a clock that went back. What is not an event file
// stays.
func TestCreateStartsAnew(t *testing.T) {
	dir := t.TempDir()
	notes := testfiles.Write(t, nil, dir, "notes.txt")
	for _, now := range []time.Time{noon, noon, noon.Add(-time.Hour), noon.Add(time.Hour)} {
		w := must.M1(Create(dir, now))
		must.M(w.Close())
		if files := must.M1(filepath.Glob(filepath.Join(dir, "*"))); len(files) != 2 ||
			files[0] != w.file.Name() || files[1] != notes {
			t.Errorf("after %s there are %v", w.file.Name(), files)
		}
		if got := string(must.M1(os.ReadFile(w.file.Name()))); got != file(now) {
			t.Errorf("%s begins with %q", w.file.Name(), got)
		}
	}
}

// The masked CRC of TensorFlow's own files. Sources: tensorboard/data/server/masked_crc.rs (the first, "from a real
// TFRecord") and tf_record.rs (the second: a length of 24, as at the head of nearly every event file).
func TestMaskedCRC(t *testing.T) {
	for _, test := range []struct {
		data string
		want uint32
	}{
		{"\x1a\x11CRC test, one two", 0x5794d08a},
		{"\x18\x00\x00\x00\x00\x00\x00\x00", 0x224b7fa3},
	} {
		if got := maskedCRC([]byte(test.data)); got != test.want {
			t.Errorf("masked CRC of %q is %#08x, want %#08x", test.data, got, test.want)
		}
	}
}

// float64 seconds of a time whose bits are given; the sources below have them as bytes.
func timeOf(bits uint64) time.Time {
	return time.Unix(0, int64(math.Float64frombits(bits)*1e9))
}

// The bytes that other programs write for the same events: "version" is from a file of TensorFlow (tensorboard's
// data/server/tf_record.rs), "first" and "value" are from TeamHG-Memex/tensorboard_logger's
// tests/test_tensorboard_logger.py. "start" is by the schema: field 7 (session_log), whose field 1 (status) is 1
// (START).
func TestKnownRecords(t *testing.T) {
	for _, test := range []struct {
		name  string
		event []byte
		want  string
	}{
		{
			"version", versionEvent(timeOf(0x41d7d69938800000)),
			"\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7f\x4b\x22\x09\x00\x00\x80\x38\x99\xd6\xd7\x41" +
				"\x1a\x0dbrain.Event:2\x12\x4b\x36\xab",
		},
		{
			"first", versionEvent(timeOf(0x4070080000000000)),
			"\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7fK\"\t\x00\x00\x00\x00\x00\x08p@\x1a\rbrain.Event:2\xbc\x98!+",
		},
		{
			"value", scalarsEvent(timeOf(0x4070080000000000), 1, []Scalar{{"v/1", 1.5}}),
			"\x19\x00\x00\x00\x00\x00\x00\x00\x8b\xf1\x08(\t\x00\x00\x00\x00\x00\x08p@\x10\x01*\x0c\n\n\n" +
				"\x03v/1\x15\x00\x00\xc0?,\xec\xc0\x87",
		},
	} {
		if got := appendRecord(nil, test.event); string(got) != test.want {
			t.Errorf("%s is written as\n%q, want\n%q", test.name, got, test.want)
		}
	}
	const start = "\t\x00\x00\x00\x00\x00\x08p@\x10\x01\x3a\x02\x08\x01"
	if got := startEvent(timeOf(0x4070080000000000)); string(got) != start {
		t.Errorf("the start of a session is %q, want %q", got, start)
	}
}
