// SPDX-License-Identifier: MIT
#pragma once

namespace graphnet::measure {

/// Protocol `upstream`: what its numbers contain, and what they must not be used for.
///
/// It repeats GraphNet bench's own procedure, so that our records can stand beside published ones.
/// It is the only protocol of this version. Paired timing with an interval will be another name;
/// numbers of two protocols are never put into one column.
///
/// Order. Eager first: first call, `warmup` calls, `trials` calls. Then the plugin: compile, bind,
/// first call, `warmup` calls, `trials` calls. Each side runs in one go, without a pause; nothing
/// alternates.
///
/// What each clock starts and stops around (all are CLOCK_MONOTONIC_RAW, in nanoseconds; one pair
/// of readings adds 40 to 80 ns to a duration, which is not subtracted):
///
/// | key             | from ... to                                                               |
/// |-----------------|---------------------------------------------------------------------------|
/// | `first_call_ns` | call ... outputs complete, of the very first call of that side            |
/// | `warmup_ns`     | the same, of each warm-up; kept for the eye, in no statistic              |
/// | `trials_ns`     | the same, of each trial; median, IQR and the others come from these alone |
/// | `compile_ns`    | `gn_backend_compile`: graph in, executable out                            |
/// | `bind_ns`       | `bind`: weights in, whatever the plugin makes of them kept                |
///
/// "Outputs complete" means that the values can be read: on a CPU when the call returns; on a
/// device after it has been synchronised, inside the clock.
///
/// Excluded from every trial: reading the sample, replaying its inputs, compile and bind, the first
/// call, moving arguments to the device, allocating the plugin's output buffers (the host does that
/// once), keeping a copy of the first outputs, comparing them, printing, and putting back what a
/// call changes (torch's generator for random programs, arguments that the program writes to): that
/// happens before every call of either side. Included: the allocations that a side makes by itself
/// in a call. Eager allocates every intermediate and every output, as in PyTorch; that is part of
/// what a compiler can save. Excluded on our eager side but included in upstream's: the Python
/// interpreter. Small graphs are 1.6 to 2 times faster here than in PyTorch from Python, so a
/// speedup of ours is lower than upstream's for the same compiler.
///
/// Cache state: hot. All calls get the same arguments at the same addresses, so whatever fits in
/// the caches is there, weights included. A model inside a larger program will find them colder.
///
/// Outliers: none is dropped. The median of the trials is reported, with their interquartile range
/// (75th minus 25th percentile) as the only sign of noise. Upstream turns an IQR above 20 % of the
/// median into a failure of the sample; we report the spread and keep the result.
///
/// Why a speedup of a few per cent means nothing here. The two sides are timed one after the other,
/// so every drift of the machine (clock frequency, temperature, a neighbour on the next core)
/// between the two goes into the ratio, and the side that runs second finds a warmer machine.
/// Driving upstream's own procedure with the same code on both sides gave ratios from 0.96 to 1.70,
/// with a mean bias of 1 to 3 % in favour of the second side; five trials cannot show that, because
/// they are as close to each other as the drift is slow. The IQR is the spread within one side; it
/// is **not** an interval for the speedup. Treat a single speedup within 10 % of 1 as no
/// difference.
///
/// Never use these numbers to
///   - claim that one compiler beats another by less than 10 % on a sample;
///   - decide whether a change made a plugin slower by a few per cent;
///   - add up to the running time of a larger program (hot caches, one caller, fixed shapes);
///   - compare machines, thread counts or weight modes: those are in the record because they must
///     be equal before two records are compared.
///
/// source   order, counts, statistics: GraphNet bench test_compiler; drift, bias and the range of
///          ratios: 40 runs of it with its pass-through backend, five small samples, one CPU thread
inline constexpr const char* kProtocolUpstream = "upstream";

/// Half-width around 1 within which a single speedup of protocol `upstream` is no difference.
///
/// units    fraction
inline constexpr double kUpstreamNoise = 0.10;

}  // namespace graphnet::measure
