package board

import (
	"bytes"
	"crypto/subtle"
	_ "embed"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/internal/web"
)

//go:embed page/index.html
var indexPage []byte

//go:embed page/board.css
var boardStyle string

//go:embed page/runs.js
var runsScript string

//go:embed page/curves.js
var curvesScript string

//go:embed page/sweeps.js
var sweepsScript string

//go:embed page/drop.js
var dropScript string

//go:embed page/start.js
var startScript string

// policy is that of the board's own page: its scripts, its data and its frames come from it, and nothing goes
// elsewhere.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func (b *Board) routes() http.Handler {
	mux := http.NewServeMux()
	fixed := func(pattern, kind string, content []byte) {
		mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind+"; charset=utf-8")
			_, _ = w.Write(content)
		})
	}
	script := strings.Join([]string{
		web.Chart, web.Common, runsScript, curvesScript, sweepsScript, dropScript, startScript,
	}, "\n")
	fixed("/{$}", "text/html", indexPage)
	fixed("/board.js", "text/javascript", []byte(script))
	fixed("/board.css", "text/css", []byte(web.Style+boardStyle))
	mux.HandleFunc("GET /events", b.events)
	mux.HandleFunc("GET /sweep/{id}", b.sweep)
	mux.HandleFunc("GET /report/{$}", b.report)
	mux.HandleFunc("GET /report/files/{folder}/{name}", b.reportFile)
	mux.HandleFunc("POST /drop", b.drops.take)
	mux.HandleFunc("GET /drop/{id}", b.drops.page)
	return mux
}

// guard lets in who names this host and begins the path with the token; pages of other sites do neither.
func (b *Board) guard(address string, inner http.Handler) http.Handler {
	_, port, _ := net.SplitHostPort(address)
	hosts := map[string]bool{address: true, net.JoinHostPort("localhost", port): true}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		origin := r.Header.Get("Origin")
		switch token, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); {
		case !hosts[r.Host]:
			refuse(w, http.StatusForbidden, "this board answers at http://"+address+" alone")
		case origin != "" && !hosts[strings.TrimPrefix(origin, "http://")]:
			refuse(w, http.StatusForbidden, "a page of another site has no business here")
		case subtle.ConstantTimeCompare([]byte(token), []byte(b.token)) != 1:
			refuse(w, http.StatusNotFound, "the address lacks the token that gfncp board printed")
		default:
			http.StripPrefix("/"+b.token, inner).ServeHTTP(w, r)
		}
	})
}

// refuse answers with a sentence.
func refuse(w http.ResponseWriter, status int, words string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": words})
}

// framed lets the board's own page show an answer, which has a policy of its own in it.
func framed(w http.ResponseWriter) {
	w.Header().Set("Content-Security-Policy", "frame-ancestors 'self'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
}

// report is the page of the tables, as they are now.
func (b *Board) report(w http.ResponseWriter, _ *http.Request) {
	var page bytes.Buffer
	if err := b.Report(&page); err != nil {
		refuse(w, http.StatusNotFound, err.Error())
		return
	}
	framed(w)
	_, _ = w.Write(page.Bytes())
}

// reportFile is a file to which that page leads. Nothing above the folders can be named.
func (b *Board) reportFile(w http.ResponseWriter, r *http.Request) {
	folder, err := strconv.Atoi(r.PathValue("folder"))
	if err != nil || folder < 0 || folder >= len(b.Results) {
		http.NotFound(w, r)
		return
	}
	root, err := os.OpenRoot(b.Results[folder])
	if err != nil {
		refuse(w, http.StatusNotFound, err.Error())
		return
	}
	defer func() { _ = root.Close() }()
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'")
	http.ServeFileFS(w, r, root.FS(), r.PathValue("name"))
}
