package kernels_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"blockfp8/gpu"
	"blockfp8/gpu/kernels"
)

// Where the PTX of the families that package predict knows can run.
var chipsOf = map[string][]string{
	"f32scale mma": {"sm_89", "sm_90", "sm_120", "sm_121"},
	"ue8m0 mx":     {"sm_120", "sm_121"},
}

func TestEveryFormWasAssembled(t *testing.T) {
	for _, f := range gpu.Forms() {
		for _, chip := range chipsOf[f.Family] {
			r, ok := kernels.ResourcesOf(f.Name, chip)
			if !ok || r.Registers < 1 || r.Registers > 255 || r.Loop.MMAs < 1 || r.Loop.Instructions <= r.Loop.OfMMAs || r.PTXLoop.Chains < 1 {
				t.Errorf("%s on %s: %+v; run make sass-report with a ptxas that knows the chip", f.Name, chip, r)
			}
		}
	}
	if _, ok := kernels.ResourcesOf("w8a8_ue8m0_mx_l0", "sm_90"); ok {
		t.Error("a kernel of ue8m0 mx was assembled for sm_90")
	}
}

// The table is of the PTX beside it. Places in the sources do not count.
func TestResourcesAreOfThePTX(t *testing.T) {
	text, err := os.ReadFile("resources.json")
	if err != nil {
		t.Fatal(err)
	}
	var table struct{ Files map[string]string }
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	if len(table.Files) < 3 {
		t.Fatalf("%d files, want all of the multiplying kernels", len(table.Files))
	}
	for name, want := range table.Files {
		if got := hashOfInstructions(t, name); got != want {
			t.Errorf("%s has changed since: sha256 %s, want %s; run make sass-report", name, got, want)
		}
	}
}

func hashOfInstructions(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var kept bytes.Buffer
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "\t.loc") && !strings.HasPrefix(line, "\t.file") {
			kept.WriteString(line)
		}
	}
	sum := sha256.Sum256(kept.Bytes())
	return hex.EncodeToString(sum[:])
}
