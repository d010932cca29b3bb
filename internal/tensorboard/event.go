package tensorboard

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/bits"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Scalar is one point of the curve named Tag; slashes group tags, as in "train/loss". Files hold values as float32.
type Scalar struct {
	Tag   string
	Value float64
}

// version is the format that this package writes.
const version = "brain.Event:2"

// The field numbers of event.proto and summary.proto.
const (
	eventTime, eventStep, eventVersion, eventSummary, eventSession = 1, 2, 3, 5, 7

	summaryValue          = 1
	valueTag, valueSimple = 1, 2 // simple_value needs no metadata: TensorBoard takes it for a scalar
	sessionStatus         = 1
	sessionStart          = 1 // SessionLog.START
)

// event returns an Event message with one bytes field beside time and step.
func event(at time.Time, step int, field protowire.Number, content []byte) []byte {
	seconds := float64(at.UnixNano()) / 1e9
	m := protowire.AppendTag(nil, eventTime, protowire.Fixed64Type)
	m = protowire.AppendFixed64(m, math.Float64bits(seconds))
	if step != 0 {
		m = protowire.AppendTag(m, eventStep, protowire.VarintType)
		m = protowire.AppendVarint(m, uint64(step))
	}
	return appendBytes(m, field, content)
}

// versionEvent is a file's first event.
func versionEvent(at time.Time) []byte { return event(at, 0, eventVersion, []byte(version)) }

// startEvent begins a session at a step: what a viewer has read of this step and later ones from other files is void.
func startEvent(at time.Time, step int) []byte {
	status := protowire.AppendTag(nil, sessionStatus, protowire.VarintType)
	return event(at, step, eventSession, protowire.AppendVarint(status, sessionStart))
}

// scalarsEvent holds the values of a step.
func scalarsEvent(at time.Time, step int, scalars []Scalar) []byte {
	var summary []byte
	for _, s := range scalars {
		value := appendBytes(nil, valueTag, []byte(s.Tag))
		value = protowire.AppendTag(value, valueSimple, protowire.Fixed32Type)
		value = protowire.AppendFixed32(value, math.Float32bits(float32(s.Value)))
		summary = appendBytes(summary, summaryValue, value)
	}
	return event(at, step, eventSummary, summary)
}

func appendBytes(m []byte, field protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), content)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedCRC is the CRC-32C of data, rotated right by 15 bits, plus 0xa282ead8. LevelDB (util/crc32c.h) gives the
// reason: the CRC of data that holds a CRC is a poor checksum.
func maskedCRC(data []byte) uint32 {
	return bits.RotateLeft32(crc32.Checksum(data, castagnoli), -15) + 0xa282ead8
}

// appendRecord appends data as one TFRecord (tensorflow.org, "TFRecord and tf.train.Example", section "TFRecords format
// details"):
//
//	uint64  length of data, little-endian
//	uint32  masked CRC of the eight length bytes
//	bytes   data
//	uint32  masked CRC of data
func appendRecord(file, data []byte) []byte {
	start := len(file)
	file = binary.LittleEndian.AppendUint64(file, uint64(len(data)))
	file = binary.LittleEndian.AppendUint32(file, maskedCRC(file[start:]))
	file = append(file, data...)
	return binary.LittleEndian.AppendUint32(file, maskedCRC(data))
}
