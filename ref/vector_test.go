package ref_test

import (
	"testing"

	"blockfp8/ref"
)

// vectorTests are done again with fewer instructions than the processor has.
var vectorTests = map[string]func(t *testing.T){
	"MatMul": TestMatMulIsElement, "every K": TestMatMulIsElementForEveryK, "hurtful steps": TestMatMulIsElementForHurtfulSteps,
}

func TestWithoutVectors(t *testing.T) {
	for name, test := range vectorTests {
		t.Run(name, func(t *testing.T) { ref.WithoutVectors(t, test) })
	}
}

func TestWithoutAVX512(t *testing.T) {
	for name, test := range vectorTests {
		t.Run(name, func(t *testing.T) { ref.WithoutAVX512(t, test) })
	}
	for name, test := range map[string]func(t *testing.T){
		"edges": TestMatMulIsElementAtEdges, "fused step": TestFuseIsMMA, "window": TestWindowHoldsForNormalValues,
	} {
		t.Run(name, func(t *testing.T) { ref.WithoutAVX512(t, test) })
	}
}
