package main

import (
	"os"
	"regexp"
)

// driverVersion is the number in the text that NVIDIA's kernel module shows.
var driverVersion = regexp.MustCompile(`Kernel Module.*?\s(\d+\.\d+(?:\.\d+)?)\s`)

// kernelDriver returns the version of NVIDIA's kernel module, "" where the system
// does not show it.
func kernelDriver() string {
	text, err := os.ReadFile("/proc/driver/nvidia/version")
	if err != nil {
		return ""
	}
	return driverOf(string(text))
}

func driverOf(text string) string {
	if m := driverVersion.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}
