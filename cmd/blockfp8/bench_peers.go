package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// peerResult is how long somebody else's kernel took.
type peerResult struct {
	Name         string  `json:"name"`
	N            int     `json:"n"`
	K            int     `json:"k"`
	M            int     `json:"m"`
	Microseconds float64 `json:"microseconds"`
}

// readPeers reads a JSON list of times; no path is no list.
func readPeers(path string) ([]peerResult, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var peers []peerResult
	if err := json.Unmarshal(text, &peers); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, p := range peers {
		if p.Name == "" || p.N < 1 || p.K < 1 || p.M < 1 || !(p.Microseconds > 0) {
			return nil, fmt.Errorf("%s: want a name, extents and a time above 0, got %+v", path, p)
		}
	}
	return peers, nil
}

// peerNames lists who took part, in the order of the list.
func peerNames(peers []peerResult) (names []string) {
	for _, p := range peers {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// beside returns the cells of a peer on the same problem: its time, and how many
// times as long that is.
func (r gemmResult) beside(name string, peers []peerResult) []any {
	for _, p := range peers {
		if p.Name == name && p.N == r.N && p.K == r.K && p.M == r.M {
			return []any{fixed(p.Microseconds, 2), fixed(p.Microseconds/r.Microseconds, 2)}
		}
	}
	return []any{"", ""}
}
