package gpu

import (
	"fmt"
	"sync"

	"blockfp8/gpu/internal/driver"
	"blockfp8/ref"
	"blockfp8/scale"
)

// WeightOptions says how a weight is kept and used. The zero value is right for
// most.
type WeightOptions struct {
	// E8M0Activations declares that all activations that the weight is multiplied by
	// have E8M0 scales: codes that come with them, or numbers that are quantised in
	// scale.StyleDeepSeek. Then, on sm_120 and sm_121, a weight with E8M0 scales is
	// multiplied by MMAs that take both scales as they are: nothing is upcast and
	// there is no cache. Elsewhere the declaration changes no bit. On every device
	// other activations are an error, scale.ErrInexact.
	//
	// It is declared once and not found out from call to call because it decides
	// the recipe, of which a weight has one, and what memory it takes. The kernels
	// that it leads to are assembled, not yet run on hardware.
	E8M0Activations bool
	// Upcast is how a kernel that prefers float32 scales gets them from E8M0. The
	// results under scale.Shift are those of the oracle on Grid.ToFP32(scale.Shift).
	// It cannot go with E8M0Activations: an MMA knows only what OCP says.
	Upcast scale.UpcastMode
	// UncachedUpcast upcasts E8M0 scales again in each call, as two more launches
	// and an allocation: what a cache saves, kept to measure it. The bits are the
	// same. It does nothing where nothing is upcast.
	UncachedUpcast bool
	// Kernel names the form of the kernel to use, one of Forms, instead of the one
	// that the plan would choose.
	Kernel string
}

// Weight is a weight matrix B [N,K] on a device, or G of the same shape for a
// grouped multiplication: E4M3 codes and scales as they were given, and, where
// the kernels of this device prefer float32 scales and the weight has E8M0, a
// cache of those in float32. The cache never replaces the original.
//
// It is safe for concurrent use. Update, Drop and Close do not disturb work that
// is in a stream already; it keeps the old bits. Work given later sees the new
// ones, or an error.
type Weight struct {
	dev      *Device
	shape    weightShape
	options  WeightOptions
	family   family     // of its kernels
	changing sync.Mutex // held by Update, Drop and Close

	// Guarded by dev.life.
	live       *version // nil after Drop
	closed     bool
	generation uint64
}

// weightShape is what all versions of a weight have in common.
type weightShape struct {
	groups, n, k   int
	blockN, blockK int
	rowOffset      int
	gridRows       int
	gridCols       int
	e8m0           bool
	pitch          int // bytes from one row of codes to the next in device memory
}

// NewWeight copies an operand to the device. The operand may be changed as soon
// as NewWeight returns.
//
// Errors: those of an operand without scales, ErrUnsupported if no kernel does
// this on the device, scale.ErrBlock for a block size that no kernel takes,
// ErrMemory.
func NewWeight(dev *Device, b ref.Operand, o WeightOptions) (*Weight, error) {
	return NewGroupedWeight(dev, []ref.Operand{b}, o)
}

// NewGroupedWeight is NewWeight for G independent matrices of the same shape,
// blocks and scale type, to be multiplied in one launch: group g multiplies
// columns [g*K, (g+1)*K) of the activations and gives columns [g*N, (g+1)*N) of
// the result.
func NewGroupedWeight(dev *Device, groups []ref.Operand, o WeightOptions) (*Weight, error) {
	shape, err := shapeOf(groups)
	if err != nil {
		return nil, err
	}
	w := &Weight{dev: dev, shape: shape, options: o}
	if err := w.checkOptions(); err != nil {
		return nil, err
	}
	if err := dev.enter(); err != nil {
		return nil, err
	}
	defer dev.leave()
	v, err := w.upload(groups)
	if err != nil {
		return nil, err
	}
	w.live, w.generation = v, 1
	return w, nil
}

// checkOptions checks the options and finds the family of kernels that they lead to.
func (w *Weight) checkOptions() error {
	if w.options.Upcast != scale.OCP && w.options.Upcast != scale.Shift {
		return &scale.Mismatch{Kind: scale.ErrOption, What: "upcast of a weight", Want: "scale.OCP or scale.Shift", Got: w.options.Upcast.String()}
	}
	if w.options.Upcast == scale.Shift && w.options.E8M0Activations {
		return &scale.Mismatch{Kind: scale.ErrOption, What: "upcast of a weight with E8M0Activations", Want: "scale.OCP", Got: w.options.Upcast.String()}
	}
	chosen, err := choose(w.dev.Target(), w.problem(1, w.codesInput(), scale.Float32))
	w.family = forms[chosen.form].family
	return err
}

// N returns the rows of the weight, of each group.
func (w *Weight) N() int { return w.shape.n }

// K returns the length of the inner dimension, of each group.
func (w *Weight) K() int { return w.shape.k }

// Groups returns the number of matrices, 1 for a weight of NewWeight.
func (w *Weight) Groups() int { return w.shape.groups }

// Device returns the device that the weight is on.
func (w *Weight) Device() *Device { return w.dev }

// Generation counts the sets of bits that the weight has had: 1 after NewWeight,
// one more after each Update.
func (w *Weight) Generation() uint64 {
	w.dev.life.RLock()
	defer w.dev.life.RUnlock()
	return w.generation
}

// Check tells whether the weight still has the bits of a generation: ErrStale if
// it was updated or dropped since, ErrClosed if it was closed.
func (w *Weight) Check(generation uint64) error {
	w.dev.life.RLock()
	defer w.dev.life.RUnlock()
	v, err := w.current()
	if err != nil {
		return err
	}
	if v.generation != generation {
		return w.staleError(fmt.Sprintf("generation %d is wanted, it has %d", generation, v.generation))
	}
	return nil
}

// CacheBytes returns the bytes of device memory that the float32 copy of the
// scales takes: 0 if there is none, because the kernel takes E8M0, the scales are
// float32 themselves, or the upcast is not cached.
func (w *Weight) CacheBytes() int64 {
	w.dev.life.RLock()
	defer w.dev.life.RUnlock()
	if w.live == nil || !w.shape.e8m0 || w.live.fp32 == 0 {
		return 0
	}
	return 4 * w.shape.scales()
}

// E8M0Scales is the original scales of a weight.
type E8M0Scales struct {
	Codes      []scale.E8M0 // on the host, a copy
	Address    uint64       // in device memory, owned by the weight
	Layout     scale.Layout // of one group, dense and row-major, in both places
	Groups     int          // the groups' scales follow each other
	Generation uint64       // the address is valid as long as Check of this succeeds
}

// E8M0 returns the original scales, for other kernels to read. Weights with
// float32 scales have none: scale.ErrInexact.
func (w *Weight) E8M0() (E8M0Scales, error) {
	if !w.shape.e8m0 {
		return E8M0Scales{}, &scale.Mismatch{Kind: scale.ErrInexact, What: w.String(), Want: "E8M0 scales", Got: "float32 scales"}
	}
	w.dev.life.RLock()
	defer w.dev.life.RUnlock()
	v, err := w.current()
	if err != nil {
		return E8M0Scales{}, err
	}
	layout := scale.RowMajor(w.shape.n, w.shape.k, w.shape.blockN, w.shape.blockK)
	layout.RowOffset = w.shape.rowOffset
	return E8M0Scales{
		Codes: append([]scale.E8M0(nil), v.host...), Address: uint64(v.e8m0), Layout: layout,
		Groups: w.shape.groups, Generation: v.generation,
	}, nil
}

// WeightCodes is the E4M3 codes of a weight in device memory.
type WeightCodes struct {
	Address    uint64 // owned by the weight
	Stride     int    // bytes from one row to the next
	Rows       int    // of all groups, which follow each other
	Generation uint64 // the address is valid as long as Check of this succeeds
}

// Codes returns where the codes are.
func (w *Weight) Codes() (WeightCodes, error) {
	w.dev.life.RLock()
	defer w.dev.life.RUnlock()
	v, err := w.current()
	if err != nil {
		return WeightCodes{}, err
	}
	return WeightCodes{Address: uint64(v.codes), Stride: w.shape.pitch, Rows: w.shape.groups * w.shape.n, Generation: v.generation}, nil
}

// String gives the shape and the scales.
func (w *Weight) String() string { return "weight " + w.shape.String() }

func (s weightShape) String() string {
	kind := "float32"
	if s.e8m0 {
		kind = "E8M0"
	}
	return fmt.Sprintf("%dx[%d,%d] in %dx%d blocks with %s scales", s.groups, s.n, s.k, s.blockN, s.blockK, kind)
}

// scales is the number of scales of all groups.
func (s weightShape) scales() int64 { return int64(s.groups) * s.scalesOfGroup() }

func (s weightShape) scalesOfGroup() int64 { return int64(s.gridRows) * int64(s.gridCols) }

func (s weightShape) codeBytes() int64 { return int64(s.groups) * s.codesOfGroup() }

func (s weightShape) codesOfGroup() int64 { return int64(s.n) * int64(s.pitch) }

// current returns the bits to use now. dev.life is held.
func (w *Weight) current() (*version, error) {
	switch {
	case w.dev.closed:
		return nil, w.dev.closedError()
	case w.closed:
		return nil, &handleError{what: w.String(), kind: ErrClosed}
	case w.live == nil:
		return nil, w.staleError("its memory was dropped; Update brings it back")
	}
	return w.live, nil
}

func (w *Weight) staleError(why string) error {
	return &handleError{what: w.String(), kind: ErrStale, why: why}
}

// version is one set of bits in device memory. It never changes.
type version struct {
	weight     *Weight
	generation uint64
	codes      driver.Ptr
	e8m0       driver.Ptr   // 0 for float32 scales
	fp32       driver.Ptr   // float32 scales, or the cache; 0 if there are none
	host       []scale.E8M0 // the original scales
}

// scales returns where the scales are that a family's kernels take.
func (v *version) scales(f family) driver.Ptr {
	if f.prefersFP32Scale() {
		return v.fp32
	}
	return v.e8m0
}

// check tells whether these are still the bits to use. dev.life is held.
func (v *version) check() error {
	now, err := v.weight.current()
	if err != nil {
		return err
	}
	if now != v {
		return v.weight.staleError("it was updated since")
	}
	return nil
}
