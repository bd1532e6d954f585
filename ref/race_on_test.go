//go:build race

package ref_test

const raceDetector = true
