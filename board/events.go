package board

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

const (
	mostFollowed = 8                // runs of one page
	heartbeat    = 15 * time.Second // keeps a quiet connection
)

// state is what a page's lists show.
type state struct {
	found
	Drops []dropState `json:"drops"`
	Limit int64       `json:"limit"` // bytes of a file that is dropped
}

// events sends, as server-sent events: "state" each time that the lists change, and for each run=ID of the query what
// its log brings as "news".
func (b *Board) events(w http.ResponseWriter, r *http.Request) {
	ids := r.URL.Query()["run"]
	if len(ids) > mostFollowed {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("a page follows %d runs at most", mostFollowed))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	s := &stream{w: w, out: http.NewResponseController(w)}
	followers := map[string]*follower{}
	for _, id := range ids {
		if run := b.finder.run(id); run != nil {
			followers[id] = newFollower(run.Dir)
		}
	}
	tick := time.NewTicker(b.Every)
	defer tick.Stop()
	faults, last := map[string]string{}, ""
	for {
		now, err := json.Marshal(state{b.finder.look(), b.drops.states(), MaxDrop})
		if err == nil && string(now) != last {
			last = string(now)
			s.send("state", now)
		}
		for _, id := range ids {
			if f := followers[id]; f != nil {
				s.follow(id, f, faults)
			}
		}
		if s.rest(); s.err != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
		}
	}
}

// stream writes events until writing fails.
type stream struct {
	w    http.ResponseWriter
	out  *http.ResponseController
	sent time.Time
	err  error
}

// follow sends what a run's log has brought; a fault is told once.
func (s *stream) follow(id string, f *follower, faults map[string]string) {
	for more := true; more && s.err == nil; {
		n := f.next()
		more = n.more
		if n.Fault == faults[id] {
			n.Fault = ""
		} else if n.Fault != "" {
			faults[id] = n.Fault
		}
		if !n.Reset && n.Fault == "" && len(n.Steps)+len(n.Valid) == 0 {
			continue
		}
		text, err := json.Marshal(struct {
			Run string `json:"run"`
			news
		}{id, n})
		if err == nil {
			s.send("news", text)
		}
	}
}

func (s *stream) send(event string, data []byte) {
	if s.err == nil {
		_, s.err = fmt.Fprintf(s.w, "event: %s\ndata: %s\n\n", event, data)
		s.sent = time.Now()
	}
}

// rest ends a round: a comment if nothing was sent for a while.
func (s *stream) rest() {
	if s.err == nil && time.Since(s.sent) > heartbeat {
		_, s.err = fmt.Fprint(s.w, ": here\n\n")
		s.sent = time.Now()
	}
	if s.err == nil {
		s.err = s.out.Flush()
	}
}
