"""Nanoseconds per Gaussian of NumPy's legacy generator, to set beside `bench`'s Gaussians.

With the bench program as argument it runs that too and prints how many times as fast it is. CPU
time of one thread, best of all runs, 1 Mi Gaussians a run.

The only Python that the repository runs: it measures what graphnet replaces.
"""
import json
import subprocess
import sys
import time

try:
    import numpy
except ImportError:
    sys.exit("numpy is not installed: nothing to compare with")

COUNT = 1 << 20
GENERATOR = numpy.random.RandomState(123)


def best_ns(call, repeats):
    """Nanoseconds per element of the fastest of `repeats` calls."""
    best = float("inf")
    for _ in range(repeats):
        began = time.thread_time_ns()
        call()
        best = min(best, time.thread_time_ns() - began)
    return best / COUNT


def bench_ns(program):
    """Nanoseconds per Gaussian of `bench`."""
    output = subprocess.run(
        [program, "--benchmark_filter=Gaussians/%d" % COUNT, "--benchmark_repetitions=5", "--benchmark_format=json"],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    runs = json.loads(output)["benchmarks"]
    return min(run["cpu_time"] for run in runs if run["run_type"] == "iteration") / COUNT


gaussian = best_ns(lambda: GENERATOR.normal(0.0, 1.0, COUNT), 20)
print(f"numpy {numpy.__version__}: {gaussian:.2f} ns per Gaussian")
argument = best_ns(lambda: (GENERATOR.normal(0.0, 1.0, COUNT) * 1.5 * 0.2 + 0.25).astype(numpy.float32), 10)
print(f"numpy {numpy.__version__}: {argument:.2f} ns per float32 argument element")
if len(sys.argv) > 1:
    ours = bench_ns(sys.argv[1])
    print(f"graphnet: {ours:.2f} ns per Gaussian, {gaussian / ours:.1f} times as fast")
