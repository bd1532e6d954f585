package gpu

import (
	"math/rand/v2"
	"testing"
	"time"
)

// BenchmarkDeviceCall measures the host's side of a multiplication on device
// memory: work is waited for outside the clock.
func BenchmarkDeviceCall(b *testing.B) {
	for _, c := range []struct {
		name  string
		input Input
	}{{"codes", CodesInput}, {"bf16", BFloat16Input}} {
		b.Run(c.name, func(b *testing.B) {
			d := openTest(b)
			if fake, ok := d.drv.(*fakeDriver); ok {
				d.drv = silent{fake}
				defer func() { d.drv = fake }()
			}
			s := must(d.NewStream())(b)
			r := rand.New(rand.NewPCG(61, 62))
			operand := makeOperand(b, r, operandShape{rows: 64, cols: 256, blockRows: 128, blockCols: 128, e8m0: true}, ordinary)
			w := must(NewWeight(d, operand, WeightOptions{}))(b)
			call := zeroCall(b, d, s, w, 1, c.input)
			noError(b, w.MatMul(s, call))
			noError(b, s.Sync())
			b.ReportAllocs()
			var host time.Duration
			n := 0
			for b.Loop() {
				start := time.Now()
				err := w.MatMul(s, call)
				host += time.Since(start)
				noError(b, err)
				if n++; n%256 == 0 {
					noError(b, s.Sync())
				}
			}
			b.ReportMetric(float64(host.Nanoseconds())/float64(n), "host-ns/call")
		})
	}
}
