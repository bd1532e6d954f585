package gpu

import (
	"errors"
	"slices"
	"testing"

	"blockfp8/scale"
)

func TestBufferCopy(t *testing.T) { onDevices(t, checkBufferCopy) }

func checkBufferCopy(t *testing.T, d *Device) {
	s := must(d.NewStream())(t)
	from, to := must(d.NewBuffer(8))(t), must(d.NewBuffer(6))(t)
	noError(t, from.Write(s, 0, []byte{1, 2, 3, 4, 5, 6, 7, 8}))
	noError(t, to.Write(s, 0, []byte{90, 91, 92, 93, 94, 95}))

	noError(t, to.Copy(s, 1, from, 4, 3))
	got := make([]byte, 6)
	noError(t, to.Read(s, got, 0))
	if want := []byte{90, 5, 6, 7, 94, 95}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}

	noError(t, from.Copy(s, 0, from, 4, 4)) // two parts of one buffer
	got = make([]byte, 8)
	noError(t, from.Read(s, got, 0))
	if want := []byte{5, 6, 7, 8, 5, 6, 7, 8}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}

	for name, err := range map[string]error{
		"past the destination": to.Copy(s, 4, from, 0, 3),
		"past the source":      to.Copy(s, 0, from, 6, 3),
		"before the source":    to.Copy(s, 0, from, -1, 3),
		"negative":             to.Copy(s, 0, from, 0, -1),
		"overlapping":          from.Copy(s, 1, from, 0, 4),
	} {
		if !errors.Is(err, scale.ErrShape) {
			t.Errorf("%s: got %v, want ErrShape", name, err)
		}
	}
	noError(t, from.Close())
	if err := to.Copy(s, 0, from, 0, 1); !errors.Is(err, ErrClosed) {
		t.Errorf("closed source: got %v, want ErrClosed", err)
	}
}
