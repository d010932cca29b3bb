package stablehlo

import (
	"fmt"
	"strings"
)

// token is a word, a number, a string with its quotes, or a single sign ("->" is one). "" is the end.
type token struct {
	text string
	line int
}

// lex splits a program into tokens.
func lex(text string) ([]token, error) {
	var tokens []token
	line := 1
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case strings.HasPrefix(text[i:], "->"):
			tokens = append(tokens, token{"->", line})
			i += 2
		case c == '"':
			end := strings.IndexByte(text[i+1:], '"')
			if end < 0 {
				return nil, fmt.Errorf("line %d: a string does not end", line)
			}
			tokens = append(tokens, token{text[i : i+end+2], line})
			i += end + 2
		default:
			end := i + word(text[i:])
			tokens = append(tokens, token{text[i:end], line})
			i = end
		}
	}
	return append(tokens, token{"", line}), nil
}

// word returns the length of the word or number at the start of text, or 1 for a sign. The characters that mark a name
// (%x, @x, ^x, #x, !x) belong to it; so do the sign and the exponent of a number.
func word(text string) int {
	i := 0
	if strings.IndexByte("%@^#!-+", text[0]) >= 0 {
		i = 1
	}
	number := i < len(text) && text[i] >= '0' && text[i] <= '9' && (i == 0 || text[0] == '-' || text[0] == '+')
	for i < len(text) {
		c := text[i]
		exponent := number && (c == '+' || c == '-') && (text[i-1] == 'e' || text[i-1] == 'E') &&
			!strings.HasPrefix(text, "0x")
		if !letter(c) && !exponent {
			break
		}
		i++
	}
	return max(i, 1)
}

func letter(c byte) bool {
	return c == '_' || c == '.' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
