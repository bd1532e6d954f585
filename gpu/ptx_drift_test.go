package gpu

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The committed PTX must be what kernels/build.py makes of the sources beside it: its
// header holds the hash of every source that went in.
func TestPTXIsOfItsSources(t *testing.T) {
	sources, err := filepath.Glob("kernels/*.cu")
	if err != nil || len(sources) < 3 {
		t.Fatalf("found %d kernel sources, %v", len(sources), err)
	}
	for _, source := range sources {
		ptx := strings.TrimSuffix(source, ".cu") + ".ptx"
		text, err := os.ReadFile(ptx)
		if err != nil {
			t.Errorf("%s was not compiled: %v", source, err)
			continue
		}
		recorded := hashesOf(string(text))
		for _, name := range includedBy(t, filepath.Base(source)) {
			if recorded[name] != hashOfFile(t, name) {
				t.Errorf("%s: %s has changed since: recorded sha256 %q, want %q; run make ptx", ptx, name, recorded[name], hashOfFile(t, name))
			}
			delete(recorded, name)
		}
		for name := range recorded {
			t.Errorf("%s: recorded source %s is not included any more; run make ptx", ptx, name)
		}
	}
}

// What the bits of the kernels rest on: nothing is flushed, nothing is fused that
// the source does not fuse, and the text asks for no newer chip or ISA than its
// source says: sm_89 and 8.4, unless it names others.
func TestPTXKeepsItsContract(t *testing.T) {
	texts, err := filepath.Glob("kernels/*.ptx")
	if err != nil || len(texts) < 3 {
		t.Fatalf("found %d PTX files, %v", len(texts), err)
	}
	for _, ptx := range texts {
		b, err := os.ReadFile(ptx)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		arch, isa := targetOf(t, strings.TrimSuffix(ptx, ".ptx")+".cu")
		for _, want := range []string{
			"\n.version " + isa + "\n", "\n.target sm_" + arch + "\n", " -arch=compute_" + arch + " ",
			" --fmad=false ", " -ftz=false ", "\n\t.file\t1 \"",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", ptx, want)
			}
		}
		for _, never := range []string{".ftz", ".approx", "div.full"} {
			if strings.Contains(text, never) {
				t.Errorf("%s contains %q", ptx, never)
			}
		}
	}
}

// targetOf returns the chip and the PTX ISA that a source is compiled for.
func targetOf(t *testing.T, source string) (arch, isa string) {
	t.Helper()
	b, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	if m := targetLine.FindStringSubmatch(string(b)); m != nil {
		return m[1], m[2]
	}
	return "89", "8.4"
}

var (
	hashLine    = regexp.MustCompile(`(?m)^// sha256 ([0-9a-f]{64}) (\S+)$`)
	targetLine  = regexp.MustCompile(`(?m)^// target: compute_(\w+), PTX ([\d.]+)$`)
	includeLine = regexp.MustCompile(`(?m)^#include "([^"]+)"`)
)

func hashesOf(ptx string) map[string]string {
	hashes := map[string]string{}
	for _, m := range hashLine.FindAllStringSubmatch(ptx, -1) {
		hashes[m[2]] = m[1]
	}
	return hashes
}

// includedBy returns a source and all that it includes from kernels.
func includedBy(t *testing.T, name string) []string {
	t.Helper()
	found := []string{name}
	for i := 0; i < len(found); i++ {
		b, err := os.ReadFile(filepath.Join("kernels", found[i]))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range includeLine.FindAllStringSubmatch(string(b), -1) {
			if !slices.Contains(found, m[1]) {
				found = append(found, m[1])
			}
		}
	}
	return found
}

func hashOfFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("kernels", name))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
