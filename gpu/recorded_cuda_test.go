//go:build cuda

package gpu

import (
	"os"
	"regexp"
	"testing"
	"time"
)

// TestRecordOutputs writes the file that BLOCKFP8_RECORD names: the outputs of
// device 0, through the public API, for every recorded problem on every form. It
// compares them with the oracle after the file is there. BLOCKFP8_RECORD_DATE is
// the date that it notes, today's if unset.
func TestRecordOutputs(t *testing.T) {
	path := os.Getenv("BLOCKFP8_RECORD")
	if path == "" {
		t.Skip("asked for by BLOCKFP8_RECORD, the file to write")
	}
	d := must(Open(0))(t)
	t.Cleanup(func() { closeTest(t, d) })
	s := must(d.NewStream())(t)
	problems := drawAllRecorded(t)
	start := time.Now()
	r := newRecord(t, problems, d.Target(), func(_ int, p *recordedProblem, kernel string) []byte {
		return runRecorded(t, d, s, p, kernel)
	})
	took := time.Since(start)
	r.Device, r.Driver, r.Date = d.Name(), driverVersion(), os.Getenv("BLOCKFP8_RECORD_DATE")
	if r.Date == "" {
		r.Date = start.UTC().Format(time.DateOnly)
	}
	noError(t, r.save(path))
	t.Logf("%s: %+v, %d bytes, in %v", path, r.recordHeader, must(fileSize(path))(t), took)

	f := must(os.Open(path))(t)
	again := must(readRecord(f))(t)
	noError(t, f.Close())
	found := replay(t, again, problems)
	found.report(t)
	t.Logf("%d outputs in %d multiplications with %d forms compared, %d differ", found.outputs, found.entries, len(found.forms), found.different)
}

// driverVersion is that of the kernel's part of the driver, such as 580.159.04,
// or nothing.
func driverVersion() string {
	text, err := os.ReadFile("/proc/driver/nvidia/version")
	if err != nil {
		return ""
	}
	return regexp.MustCompile(`\b\d{3}\.\d+(\.\d+)?\b`).FindString(string(text))
}
