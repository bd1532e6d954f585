package emulated

import (
	"strconv"
	"strings"

	"blockfp8/gpu/internal/driver"
)

// runs reports whether a chip takes PTX for a target: sm_89 runs there and on all
// later chips, sm_120f on the later chips of its family, sm_90a on that one alone.
func runs(target string, on driver.Arch) bool {
	digits, ok := strings.CutPrefix(target, "sm_")
	number := strings.TrimRight(digits, "af")
	n, err := strconv.ParseUint(number, 10, 16)
	if !ok || err != nil {
		return false
	}
	from := driver.Arch{Major: int(n / 10), Minor: int(n % 10)}
	later := on.Major > from.Major || on.Major == from.Major && on.Minor >= from.Minor
	switch digits[len(number):] {
	case "":
		return later
	case "f":
		return later && on.Major == from.Major
	case "a":
		return on == from
	}
	return false
}
