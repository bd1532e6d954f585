package ref_test

import "testing"

// brief says that there is less time for the same tests: under -short, meant for
// emulated machines, and under the race detector.
func brief() bool { return raceDetector || testing.Short() }

// rounds is how many random inputs of n to try: an eighth where time is short.
func rounds(n int) int {
	if brief() {
		return max(1, n/8)
	}
	return n
}
