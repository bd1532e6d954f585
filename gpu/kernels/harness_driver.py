"""The CUDA driver as far as the harness needs it: modules, launches, tensor maps."""
import ctypes, os, time
import torch

HERE = os.path.dirname(os.path.abspath(__file__))
SHARED_LIMIT = 99 * 1024
HOPPER_SHARED_LIMIT = 227 * 1024
cu = ctypes.CDLL("libcuda.so.1")


def ok(code, what):
    if code:
        raise RuntimeError(f"{what}: CUDA error {code}")


_modules, _functions = {}, {}


def function(file, name):
    if (file, name) not in _functions:
        if file not in _modules:
            torch.cuda.current_stream()
            with open(os.path.join(HERE, file + ".ptx"), "rb") as f:
                text = f.read() + b"\0"
            m = ctypes.c_void_p()
            start = time.time()
            ok(cu.cuModuleLoadData(ctypes.byref(m), text), "load " + file)
            print(f"# JIT {file}: {time.time() - start:.1f} s", flush=True)
            _modules[file] = m
        fn = ctypes.c_void_p()
        ok(cu.cuModuleGetFunction(ctypes.byref(fn), _modules[file], name.encode()), name)
        if not name.endswith("_l0"):
            ok(cu.cuFuncSetAttribute(fn, 8, HOPPER_SHARED_LIMIT if "_wgmma_" in name else SHARED_LIMIT), "shared memory of " + name)
        _functions[file, name] = fn
    return _functions[file, name]


class Launch:
    """A kernel with its parameters packed once, so that launching costs little. Maps follow the
    numbers, each at a multiple of 64 bytes; an overlapping launch may start before the one before it ends."""

    def __init__(self, file, name, grid, block, shared, args, maps=(), overlap=False):
        self.fn = function(file, name)
        numbers = (ctypes.c_int64 * len(args))(*args)
        self.values = [ctypes.c_int64.from_buffer(numbers, 8 * i) for i in range(len(args))] + list(maps)
        self.params = (ctypes.c_void_p * len(self.values))(*[ctypes.addressof(v) for v in self.values])
        self.attribute = LaunchAttribute(id=6, value=(ctypes.c_int * 16)(1))  # programmatic stream serialization
        self.config = LaunchConfig(*grid, block, 1, 1, shared, 0, ctypes.pointer(self.attribute), 1 if overlap else 0)

    def __call__(self):
        self.config.stream = torch.cuda.current_stream().cuda_stream
        ok(cu.cuLaunchKernelEx(ctypes.byref(self.config), self.fn, self.params, None), "launch")


class LaunchAttribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_int * 16)]


class LaunchConfig(ctypes.Structure):
    _fields_ = [(n, ctypes.c_uint) for n in ("gx", "gy", "gz", "bx", "by", "bz", "shared")] + [
        ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(LaunchAttribute)), ("count", ctypes.c_uint)]


def tensor_map(pointer, K, rows, groups, stride, group_stride, box, box_groups=1):
    """The map of codes [groups, rows, K] in boxes of 128 codes by `box` rows by box_groups, swizzled by 128 bytes."""
    space = (ctypes.c_uint64 * 24)()
    m = (ctypes.c_uint64 * 16).from_buffer(space, -ctypes.addressof(space) % 64)
    if K and rows and groups:
        dims, strides = (ctypes.c_uint64 * 3)(K, rows, groups), (ctypes.c_uint64 * 2)(stride, group_stride)
        boxes, ones = (ctypes.c_uint32 * 3)(128, box, box_groups), (ctypes.c_uint32 * 3)(1, 1, 1)
        ok(cu.cuTensorMapEncodeTiled(ctypes.byref(m), 0, 3, ctypes.c_void_p(pointer), dims, strides, boxes, ones, 0, 3, 3, 0), "tensor map")
    return m
