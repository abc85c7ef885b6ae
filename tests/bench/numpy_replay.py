"""Nanoseconds per Gaussian of NumPy's legacy generator, to set beside `bench`'s Gaussians.

The one place of the repository where Python runs: it measures what graphnet replaces.
"""
import sys
import time

try:
    import numpy
except ImportError:
    sys.exit("numpy is not installed: nothing to compare with")

COUNT = 1 << 20
generator = numpy.random.RandomState(123)
best = float("inf")
for _ in range(20):
    began = time.perf_counter()
    generator.normal(0.0, 1.0, COUNT)
    best = min(best, time.perf_counter() - began)
print(f"numpy {numpy.__version__}: {best / COUNT * 1e9:.2f} ns per Gaussian (best of 20)")
best = float("inf")
for _ in range(10):
    began = time.perf_counter()
    (generator.normal(0.0, 1.0, COUNT) * 1.5 * 0.2 + 0.25).astype(numpy.float32)
    best = min(best, time.perf_counter() - began)
print(f"numpy {numpy.__version__}: {best / COUNT * 1e9:.2f} ns per float32 argument element")
