package main

// How much is measured: enough weights that none stays in the device's cache,
// enough launches that starting a graph does not count, and replays for a median.
const (
	rotatedBytes  = 200e6
	maxCopies     = 64
	minLaunches   = 20
	replaysMillis = 80
	minReplays    = 5
	maxReplays    = 50
)

// copiesOf is the number of weights of a shape that take turns.
func copiesOf(s gemmShape) int {
	bytes := s.N * s.K
	return max(1, min(maxCopies, (rotatedBytes+bytes-1)/bytes))
}

// launchesOf is the number of launches in a graph: whole rounds of the weights.
func launchesOf(copies int) int {
	return (minLaunches + copies - 1) / copies * copies
}

// replaysFor is the number of replays of a graph that takes that long.
func replaysFor(milliseconds float64) int {
	return int(max(minReplays, min(maxReplays, replaysMillis/milliseconds)))
}
