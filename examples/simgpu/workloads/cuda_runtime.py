# SPDX-License-Identifier: Apache-2.0
"""libcudart.so.12 through ctypes: what train.py needs, with names like those of the C interface.

ctypes releases the interpreter lock around each call, as extension modules do.
"""
import ctypes

HOST_TO_DEVICE = 1
STREAM_NON_BLOCKING = 1
EVENT_DISABLE_TIMING = 2
CAPTURE_GLOBAL = 0


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


_POINTER = ctypes.c_void_p
_SIZE = ctypes.c_size_t
_UINT = ctypes.c_uint
_OUT = ctypes.POINTER(ctypes.c_void_p)
_SIGNATURES = {
    "cudaMalloc": [_OUT, _SIZE],
    "cudaFree": [_POINTER],
    "cudaHostAlloc": [_OUT, _SIZE, _UINT],
    "cudaMemcpyAsync": [_POINTER, _POINTER, _SIZE, ctypes.c_int, _POINTER],
    "cudaLaunchKernel": [_POINTER, Dim3, Dim3, _POINTER, _SIZE, _POINTER],
    "cudaStreamCreateWithFlags": [_OUT, _UINT],
    "cudaStreamSynchronize": [_POINTER],
    "cudaDeviceSynchronize": [],
    "cudaEventCreateWithFlags": [_OUT, _UINT],
    "cudaEventRecord": [_POINTER, _POINTER],
    "cudaEventSynchronize": [_POINTER],
    "cudaStreamBeginCapture": [_POINTER, ctypes.c_int],
    "cudaStreamEndCapture": [_POINTER, _OUT],
    "cudaGraphInstantiate": [_OUT, _POINTER, ctypes.c_ulonglong],
    "cudaGraphLaunch": [_POINTER, _POINTER],
    "cudaGraphDestroy": [_POINTER],
}


class CudaError(RuntimeError):
    pass


class Cuda:
    """call("cudaFree", address) raises CudaError where the function fails."""

    def __init__(self):
        self._library = ctypes.CDLL("libcudart.so.12")
        self._kernels = {}
        for name, arguments in _SIGNATURES.items():
            function = getattr(self._library, name)
            function.argtypes = arguments
            function.restype = ctypes.c_int

    def call(self, name, *arguments):
        code = getattr(self._library, name)(*arguments)
        if code != 0:
            raise CudaError(f"{name} gave {code}")

    def make(self, name, *arguments):
        """For functions whose first argument receives a handle or an address."""
        made = ctypes.c_void_p()
        self.call(name, ctypes.byref(made), *arguments)
        return made

    def end_capture(self, stream):
        graph = ctypes.c_void_p()
        self.call("cudaStreamEndCapture", stream, ctypes.byref(graph))
        return graph

    def register_kernel(self, name):
        text = ctypes.create_string_buffer(name.encode())
        self._library.simgpuRegisterKernel(text, text)
        self._kernels[name] = text

    def launch(self, name, duration_us, stream):
        duration_ns = ctypes.c_uint64(int(duration_us * 1000))
        arguments = (ctypes.c_void_p * 1)(ctypes.addressof(duration_ns))
        self.call("cudaLaunchKernel", ctypes.addressof(self._kernels[name]), Dim3(1, 1, 1),
                  Dim3(256, 1, 1), arguments, 0, stream)
