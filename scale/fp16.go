package scale

import "github.com/x448/float16"

// FP16 is IEEE 754 binary16.
type FP16 = float16.Float16

// FP16FromFloat32 rounds to nearest, ties to even.
func FP16FromFloat32(x float32) FP16 { return float16.Fromfloat32(x) }

// FP16FromFloat64 rounds once, to nearest, ties to even.
func FP16FromFloat64(x float64) FP16 { return float16.Fromfloat32(roundToOdd(x)) }
