package opcheck

import (
	"compress/gzip"
	"encoding/gob"
	"hash/crc32"
	"io"
)

const (
	// Threads run every form.
	Threads = 4096
	// whole is how many of them are recorded with all results; of the rest only
	// sums, one for each group.
	whole = 64
	group = 256
)

// Record is what a device answered.
type Record struct {
	Device  string
	Answers []Answer
}

// Answer is the results of one form.
type Answer struct {
	Text, Draw string
	Inputs     uint32   // sum of the inputs
	Results    [][]byte // of the first threads: for each result its little-endian words, only as wide as the register
	Sums       []uint32 // over all results of each group of threads
}

// answer makes the record of a form's results, with those of the first n threads
// as they are.
func (f *Form) answer(in, out []uint64, threads, n int) Answer {
	a := Answer{Text: f.Text, Draw: f.Draw, Inputs: crc32.ChecksumIEEE(toBytes(in))}
	_, _, results := f.resolve()
	for j, o := range results {
		bytes := max(sizes[o.letter]/8, 1)
		var packed []byte
		for _, v := range out[j*threads : j*threads+n] {
			packed = append(packed, toBytes([]uint64{v})[:bytes]...)
		}
		a.Results = append(a.Results, packed)
	}
	for from := 0; from < threads; from += group {
		sum := uint32(0)
		for j := range results {
			sum = crc32.Update(sum, crc32.IEEETable, toBytes(out[j*threads+from:j*threads+from+group]))
		}
		a.Sums = append(a.Sums, sum)
	}
	return a
}

// Answers asks a device for the results of all forms: run takes the module and, for
// each form, the kernel's name, its inputs and the number of results. The second
// record holds the results of all threads.
func Answers(device string, run func(module string, kernel string, in []uint64, results int) ([]uint64, error)) (short, long Record, err error) {
	all := Forms()
	module := Module("sm_90", all, Threads)
	short.Device, long.Device = device, device
	for i := range all {
		f := &all[i]
		in := f.draw(Threads)
		_, results := f.Counts()
		out, err := run(module, name(i), in, results*Threads)
		if err != nil {
			return short, long, err
		}
		short.Answers = append(short.Answers, f.answer(in, out, Threads, whole))
		long.Answers = append(long.Answers, f.answer(in, out, Threads, Threads))
	}
	return short, long, nil
}

// Write writes a record, compressed.
func (r *Record) Write(to io.Writer) error {
	z, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(z).Encode(r); err != nil {
		return err
	}
	return z.Close()
}

// Read reads a record.
func Read(from io.Reader) (r Record, err error) {
	z, err := gzip.NewReader(from)
	if err != nil {
		return r, err
	}
	return r, gob.NewDecoder(z).Decode(&r)
}
