package ref_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"blockfp8/ref"
)

// evidence is the folder of recordings and models that came from elsewhere.
func evidence(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("BLOCKFP8_EVIDENCE")
	if folder == "" {
		t.Skip("NOT COMPARED WITH GPU RECORDINGS AND THE SECOND MODEL: set BLOCKFP8_EVIDENCE to the folder that holds recorded/ and probe/")
	}
	return folder
}

// Outputs recorded on an RTX 1000 Ada and on a B200: rows of 32 codes of a, 32
// of b, c and d.
func TestRecordedOutputs(t *testing.T) {
	folder := evidence(t)
	for file, d := range map[string]ref.Datapath{"ada_sm89_e4m3_f32": ref.SM89, "b200_sm100_mma_e4m3_f32": ref.SM100MMA} {
		f, err := os.Open(filepath.Join(folder, "recorded", file+".bin.gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		unzipped, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := io.ReadAll(unzipped)
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) != 5000*72 {
			t.Fatalf("%s: %d bytes, want 5000 rows of 72", file, len(rows))
		}
		for i := range 5000 {
			row := rows[i*72 : i*72+72]
			in := mmaInput{a: [32]byte(row[:32]), b: [32]byte(row[32:64]), sa: 0x7F, sb: 0x7F, c: binary.LittleEndian.Uint32(row[64:])}
			if got, want := run(t, d, in), binary.LittleEndian.Uint32(row[68:]); got != want {
				t.Fatalf("%s, row %d: %x: %08x, the GPU says %08x", file, i, in, got, want)
			}
		}
		t.Logf("%s: 5000 outputs equal the GPU's", file)
	}
}

// A second model, in Python and by other hands, asked in one go.
func TestSecondOpinion(t *testing.T) {
	folder := evidence(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("NOT COMPARED WITH THE SECOND MODEL: there is no python3")
	}
	const each = 320 // per datapath and category: 35,840 outputs
	datapaths := []ref.Datapath{ref.SM89, ref.SM90MMA, ref.SM90WGMMA, ref.SM100MMA, ref.SM100, ref.SM120, ref.SM120MX}
	rng := rand.New(rand.NewPCG(20, 26))
	var inputs []mmaInput
	var asked bytes.Buffer
	for i := range datapaths {
		for category := range mmaCategories {
			for range each {
				in := drawMMA(rng, category)
				inputs = append(inputs, in)
				asked.Write([]byte{byte(i), in.sa, in.sb, 0})
				asked.Write(binary.LittleEndian.AppendUint32(nil, in.c))
				asked.Write(in.a[:])
				asked.Write(in.b[:])
			}
		}
	}
	script := exec.Command(python, filepath.Join("testdata", "second_opinion.py"), filepath.Join(folder, "probe"))
	script.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	script.Stdin, script.Stderr = &asked, os.Stderr
	answers, err := script.Output()
	if err != nil {
		t.Fatal(err)
	}
	if len(answers) != 4*len(inputs) {
		t.Fatalf("%d bytes for %d questions", len(answers), len(inputs))
	}
	for i, in := range inputs {
		d := datapaths[i/(each*len(mmaCategories))]
		if got, want := run(t, d, in), binary.LittleEndian.Uint32(answers[4*i:]); got != want {
			t.Fatalf("%s, %s:\na  %x\nb  %x\nsa %02x sb %02x c %08x\ngot %08x, the other model says %08x",
				d.Name, mmaCategories[i/each%len(mmaCategories)].name, in.a, in.b, in.sa, in.sb, in.c, got, want)
		}
	}
	t.Logf("%d outputs of each of %d datapaths equal the other model's", each*len(mmaCategories), len(datapaths))
}
