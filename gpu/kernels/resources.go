// Package kernels is the folder of the CUDA sources and of the PTX made of them, see
// README.md. In Go it tells what a chip's assembler makes of each kernel.
package kernels

import (
	_ "embed"
	"encoding/json"
	"sync"
)

// resources.json is written by resources.py.
//
//go:embed resources.json
var resourcesJSON []byte

// Resources is what a kernel takes of a chip.
type Resources struct {
	Registers         int  `json:"registers"` // of a thread
	SpilledBytes      int  `json:"spilledBytes"`
	StaticSharedBytes int  `json:"staticSharedBytes"`
	Loop              Loop `json:"loop"` // in the chip's own instructions
	PTXLoop           Loop `json:"-"`    // in PTX
}

// Loop is the loop of a kernel that multiplies, counted as it is written: both arms
// of a branch.
type Loop struct {
	MMAs         int            `json:"mmas"`
	Instructions int            `json:"instructions"`
	OfMMAs       int            `json:"ofMMAs"` // of Instructions: those that MMAs became
	Chains       int            `json:"chains"` // MMAs that do not wait for each other, in PTX alone
	Pipes        map[string]int `json:"pipes"`  // Instructions by what they keep busy
}

type resourceTable struct {
	Compiler string            `json:"compiler"`
	Files    map[string]string `json:"files"` // sha256 of what was assembled
	Kernels  map[string]struct {
		File    string               `json:"file"`
		PTXLoop Loop                 `json:"ptxLoop"`
		Chips   map[string]Resources `json:"chips"`
	} `json:"kernels"`
}

// A table that cannot be read is caught by a test.
var resources = sync.OnceValue(func() (t resourceTable) {
	_ = json.Unmarshal(resourcesJSON, &t)
	return t
})

// ResourcesOf returns what a kernel takes of a chip such as sm_120, and whether it was
// assembled for it.
func ResourcesOf(kernel, chip string) (Resources, bool) {
	k := resources().Kernels[kernel]
	r, ok := k.Chips[chip]
	r.PTXLoop = k.PTXLoop
	return r, ok
}

// Assembler names the program that the numbers are from.
func Assembler() string { return resources().Compiler }
