package main

// stepLinear is one multiplication of a decode step: by Groups weights [N,K], in
// one call.
type stepLinear struct {
	Name         string
	Groups, N, K int
}

const (
	v4Layers = 43
	wSharded = 8 // groups of wo_a in all ranks together
)

// decodeStep lists the dense FP8 multiplications of one decode step of
// DeepSeek-V4-Flash, as one of tp ranks does them, in order. The grouped wo_a, of
// which there is one per layer, is among them if asked for.
func decodeStep(tp int, woA bool) []stepLinear {
	var step []stepLinear
	for layer := range v4Layers {
		step = append(step,
			stepLinear{"wq_a+wkv", 1, 1536, 4096},
			stepLinear{"wq_b", 1, 32768 / tp, 1024})
		if layer%2 == 1 { // the layers with an indexer
			step = append(step, stepLinear{"indexer.wq_b", 1, 8192, 1024})
		}
		if woA {
			step = append(step, stepLinear{"wo_a", wSharded / tp, 1024, 4096})
		}
		step = append(step,
			stepLinear{"wo_b", 1, 4096, 8192 / tp},
			stepLinear{"shared gate_up", 1, 4096 / tp, 4096},
			stepLinear{"shared down", 1, 4096, 2048 / tp})
	}
	return step
}

// width is the length of a row of activations, outputs that of a row of results.
func (l stepLinear) width() int   { return l.Groups * l.K }
func (l stepLinear) outputs() int { return l.Groups * l.N }

// stepSize is the size of a list of multiplications.
type stepSize struct {
	Linears     int   `json:"linears"`
	Grouped     int   `json:"grouped"`
	WeightBytes int64 `json:"weightBytes"`
	ScaleBytes  int64 `json:"scaleBytes"` // as E8M0; four times as many in float32
}

func sizeOf(step []stepLinear) (s stepSize) {
	for _, l := range step {
		if l.Groups > 1 {
			s.Grouped++
		} else {
			s.Linears++
		}
		s.WeightBytes += int64(l.Groups) * int64(l.N) * int64(l.K)
		s.ScaleBytes += int64(l.Groups) * int64(blocksOf(l.N)) * int64(blocksOf(l.K))
	}
	return s
}

// blocksOf is the number of scale blocks along n elements.
func blocksOf(n int) int { return (n + benchBlock - 1) / benchBlock }

// benchBlock is the block of all weights that are measured, in both directions.
const benchBlock = 128
