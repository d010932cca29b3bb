package tensorboard

import (
	"fmt"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Scalar is one point of the curve named Tag; slashes group tags, as in "train/loss". Files hold values as float32.
type Scalar struct {
	Tag   string
	Value float64
}

// Event is one record of an event file. Of Version, Start and Scalars one is set.
type Event struct {
	Time    time.Time
	Step    int
	Version string   // of the format, in a file's first event
	Start   bool     // a session begins at Step: what earlier files hold of Step and after it is void
	Scalars []Scalar // the values of Step
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

// encode returns the Event message.
func (e Event) encode() []byte {
	seconds := float64(e.Time.UnixNano()) / 1e9
	m := protowire.AppendTag(nil, eventTime, protowire.Fixed64Type)
	m = protowire.AppendFixed64(m, math.Float64bits(seconds))
	if e.Step != 0 {
		m = protowire.AppendTag(m, eventStep, protowire.VarintType)
		m = protowire.AppendVarint(m, uint64(e.Step))
	}
	switch {
	case e.Version != "":
		m = appendBytes(m, eventVersion, []byte(e.Version))
	case e.Start:
		status := protowire.AppendTag(nil, sessionStatus, protowire.VarintType)
		m = appendBytes(m, eventSession, protowire.AppendVarint(status, sessionStart))
	default:
		var summary []byte
		for _, s := range e.Scalars {
			summary = appendBytes(summary, summaryValue, s.encode())
		}
		m = appendBytes(m, eventSummary, summary)
	}
	return m
}

// encode returns the Summary.Value message.
func (s Scalar) encode() []byte {
	m := appendBytes(nil, valueTag, []byte(s.Tag))
	m = protowire.AppendTag(m, valueSimple, protowire.Fixed32Type)
	return protowire.AppendFixed32(m, math.Float32bits(float32(s.Value)))
}

func appendBytes(m []byte, field protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), content)
}

// decodeEvent reads an Event message; fields that this package does not write are passed over.
func decodeEvent(m []byte) (e Event, err error) {
	err = eachField(m, func(field protowire.Number, number uint64, content []byte) error {
		switch field {
		case eventTime:
			seconds := math.Float64frombits(number)
			e.Time = time.Unix(0, int64(math.Round(seconds*1e6))*1e3)
		case eventStep:
			e.Step = int(number)
		case eventVersion:
			e.Version = string(content)
		case eventSummary:
			scalars, err := decodeSummary(content)
			e.Scalars = scalars
			return err
		case eventSession:
			return eachField(content, func(field protowire.Number, number uint64, _ []byte) error {
				e.Start = e.Start || field == sessionStatus && number == sessionStart
				return nil
			})
		}
		return nil
	})
	return e, err
}

func decodeSummary(m []byte) (scalars []Scalar, err error) {
	err = eachField(m, func(field protowire.Number, _ uint64, content []byte) error {
		if field != summaryValue {
			return nil
		}
		var s Scalar
		simple := false
		err := eachField(content, func(field protowire.Number, number uint64, content []byte) error {
			switch field {
			case valueTag:
				s.Tag = string(content)
			case valueSimple:
				s.Value, simple = float64(math.Float32frombits(uint32(number))), true
			}
			return nil
		})
		if simple {
			scalars = append(scalars, s)
		}
		return err
	})
	return scalars, err
}

// eachField calls f for the fields of a message: number holds the bits of a numeric field, content those of any other.
func eachField(m []byte, f func(field protowire.Number, number uint64, content []byte) error) error {
	for len(m) > 0 {
		field, kind, n := protowire.ConsumeTag(m)
		if n < 0 {
			return fmt.Errorf("event message: %w", protowire.ParseError(n))
		}
		m = m[n:]
		var number uint64
		var content []byte
		switch kind {
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(m)
		case protowire.Fixed64Type:
			number, n = protowire.ConsumeFixed64(m)
		case protowire.Fixed32Type:
			var short uint32
			short, n = protowire.ConsumeFixed32(m)
			number = uint64(short)
		case protowire.BytesType:
			content, n = protowire.ConsumeBytes(m)
		default:
			n = protowire.ConsumeFieldValue(field, kind, m)
		}
		if n < 0 {
			return fmt.Errorf("event message, field %d: %w", field, protowire.ParseError(n))
		}
		if err := f(field, number, content); err != nil {
			return err
		}
		m = m[n:]
	}
	return nil
}
