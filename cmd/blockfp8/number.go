package main

import (
	"encoding/json"
	"math"
	"strconv"
)

// number is a float that JSON can hold: NaN and the infinities are strings.
type number float64

// MarshalJSON writes a JSON number, or one of "NaN", "+Inf" and "-Inf".
func (v number) MarshalJSON() ([]byte, error) {
	f := float64(v)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return json.Marshal(strconv.FormatFloat(f, 'g', -1, 64))
	}
	return json.Marshal(f)
}

// String writes six significant digits at most.
func (v number) String() string { return strconv.FormatFloat(float64(v), 'g', 6, 64) }
