package driver

import "strings"

// Target returns the first name of the .target line of a PTX text, "" if there
// is none.
func Target(ptx string) string {
	for line := range strings.Lines(ptx) {
		fields := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' || r == '\n' || r == '\r' })
		if len(fields) > 1 && fields[0] == ".target" {
			return fields[1]
		}
	}
	return ""
}
