package ref_test

import (
	"testing"

	"blockfp8/ref"
)

// What other tests do with vectors, where the processor has them, is done here
// without.
func TestWithoutVectors(t *testing.T) {
	for name, test := range map[string]func(t *testing.T){
		"MatMul": TestMatMulIsElement, "every K": TestMatMulIsElementForEveryK, "hurtful steps": TestMatMulIsElementForHurtfulSteps,
	} {
		t.Run(name, func(t *testing.T) { ref.WithoutVectors(t, test) })
	}
}
