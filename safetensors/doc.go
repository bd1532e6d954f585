// Package safetensors reads and writes the safetensors format, with the dtypes
// of block-scaled FP8: F8_E4M3 weights and F8_E8M0 scales. Bytes are
// reinterpreted, never converted: what a file holds is what the caller gets.
//
// Reading a checkpoint, be it one file, an index or a directory:
//
//	c, err := safetensors.OpenCheckpoint("model.safetensors.index.json")
//	defer c.Close()
//	pairs, unpaired, err := c.Pairs()           // FP8 weights and their scales
//	codes, err := c.E4M3(pairs[0].Weight.Name)  // []scale.E4M3
//	scales, err := c.E8M0(pairs[0].Scale.Name)  // []scale.E8M0
//
// Opening reads headers only; tensor data is read when it is asked for, so a
// shard larger than memory is no trouble. Writing streams, and the file
// appears at its path only when it is complete:
//
//	w, err := safetensors.Create(path, tensors, nil)
//	defer w.Abort()
//	err = w.Write("layer.weight", bytes)
//	err = w.Close()
//
// A header is hostile until it has been checked: everything that the format
// demands (no duplicate names, no overlap and no hole in the data, lengths that
// follow from dtype and shape) is an [Error] that says what was expected and
// what came.
//
// The format: https://github.com/huggingface/safetensors#format
package safetensors
