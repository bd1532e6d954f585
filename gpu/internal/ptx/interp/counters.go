package interp

// Class groups instructions by what they keep busy.
type Class uint8

// The classes of instructions.
const (
	Integer Class = iota
	Float
	Convert
	Move
	Compare
	Control
	GlobalMemory
	SharedMemory
	OtherMemory // parameters, local memory, and addresses that are not known to be one of the above
	AsyncCopy
	MatrixLoad
	MatrixMultiply
	Exchange // between lanes
	Synchronise
	classes
)

var classNames = [classes]string{
	"integer", "float", "convert", "move", "compare", "control", "global memory", "shared memory", "other memory",
	"asynchronous copy", "matrix load", "matrix multiply", "exchange", "synchronise",
}

func (c Class) String() string { return classNames[c] }

// Counters is what launches did.
type Counters struct {
	Blocks       uint64
	Instructions [classes]uint64 // by class, of threads: a warp's with all lanes on counts 32
	Issued       [classes]uint64 // by class, of warps, whether lanes are on or not
	MMAs         uint64          // matrix multiplications of 16 rows by 8 columns; a warpgroup's wgmma is 4*N/8 of them
	// Bytes that lanes asked for, requests of warps, 32-byte sectors that these
	// touch.
	GlobalRead, GlobalWritten     uint64
	GlobalRequests, GlobalSectors uint64
	SharedRead, SharedWritten     uint64
	SharedRequests, BankConflicts uint64 // a conflict is one more pass over the banks
	// Bytes of shared memory that bulk copies write and wgmma reads, which are not
	// among those above.
	BulkBytes, MatrixRead uint64
	Barriers              uint64 // of blocks; phases of mbarriers are not counted
}

// Add adds what another count did.
func (c *Counters) Add(d Counters) {
	c.Blocks += d.Blocks
	for i := range c.Instructions {
		c.Instructions[i] += d.Instructions[i]
		c.Issued[i] += d.Issued[i]
	}
	c.MMAs += d.MMAs
	c.GlobalRead += d.GlobalRead
	c.GlobalWritten += d.GlobalWritten
	c.GlobalRequests += d.GlobalRequests
	c.GlobalSectors += d.GlobalSectors
	c.SharedRead += d.SharedRead
	c.SharedWritten += d.SharedWritten
	c.SharedRequests += d.SharedRequests
	c.BankConflicts += d.BankConflicts
	c.BulkBytes += d.BulkBytes
	c.MatrixRead += d.MatrixRead
	c.Barriers += d.Barriers
}

// WarpInstructions returns how many instructions warps issued, of all classes.
func (c *Counters) WarpInstructions() (n uint64) {
	for _, issued := range c.Issued {
		n += issued
	}
	return n
}

// ByClass returns the instructions of threads by the name of their class, without
// classes of which there are none.
func (c *Counters) ByClass() map[string]uint64 {
	named := map[string]uint64{}
	for class, n := range c.Instructions {
		if n > 0 {
			named[Class(class).String()] = n
		}
	}
	return named
}
