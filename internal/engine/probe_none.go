//go:build !(cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64)))

package engine

// AnswerProbe does nothing: this binary loads no plugins.
func AnswerProbe() {}
