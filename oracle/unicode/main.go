// Command unicode lists the ranges of code points of classes as Go's packages
// know them: a class, its first and its last code point in hexadecimal a line.
// The first line holds the version of Unicode.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"unicode"
)

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	fmt.Fprintln(out, "version", unicode.Version)
	for _, class := range []struct {
		name     string
		contains func(rune) bool
	}{
		{"letter", unicode.IsLetter},
		{"digit", unicode.IsDigit},
		{"print", strconv.IsPrint},
	} {
		first := rune(-1)
		for r := rune(0); r <= unicode.MaxRune+1; r++ {
			in := r <= unicode.MaxRune && class.contains(r)
			switch {
			case in && first < 0:
				first = r
			case !in && first >= 0:
				fmt.Fprintf(out, "%s %x %x\n", class.name, first, r-1)
				first = -1
			}
		}
	}
}
