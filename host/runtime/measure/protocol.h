// SPDX-License-Identifier: MIT
#pragma once

namespace graphnet::measure {

/// Method `paired`: what its numbers contain, and what they must not be used for.
///
/// It is the default. The protocols `smoke`, `standard` and `kernel` (configs/protocols) are this
/// method with more or less patience, `replay` is it with captured calls. Numbers of different
/// methods never share a column.
///
/// Order. Each side makes its first call and warms up: calls until the median of five has settled.
/// Then second weights are bound, called and timed in a few pairs that count for no number here,
/// the first ones are bound again, and both sides are called some more (worker/second_weights.h).
/// Then pairs: one side sample eager, one side sample plugin, in random order, balanced within each
/// four pairs. Effects slower than a pair (clock frequency, temperature, another program) act on
/// both side samples and cancel in their ratio. Effects of the order act on both sides equally
/// often.
///
/// What a side sample is, and what the clock starts and stops around (nanoseconds; see Clock):
///
/// | step        | what                                                             | clock   |
/// |-------------|------------------------------------------------------------------|---------|
/// | sleep       | with several threads: wait until the other side's have gone to   |         |
/// |             | sleep, or they would take cores from this side                   | outside |
/// | lead        | a call as below but without clock, if calls of either side are   |         |
/// |             | shorter than 5 ms: it finds the caches and predictors as the     |         |
/// |             | other side left them; its duration is dropped                    | outside |
/// | prepare     | put back what a call changes (generator, arguments); all outputs |         |
/// |             | are made worthless, or for eager as much memory is written       | outside |
/// | renew       | inputs get content of this one call                              | outside |
/// | flush       | cache mode `cold` only                                           | outside |
/// | count       | read how long the thread has waited for a core so far            | outside |
/// | **call**    | call ... outputs complete; on a device it is synchronised inside | inside  |
/// | copy        | outputs of a checked call are copied                             | outside |
/// | count again | after the last call: the same reading                            | outside |
///
/// What a call finds. Every call of the plugin, timed or not, finds outputs filled with poison;
/// each but the first, whose outputs decide the outcome, finds inputs that no call of the plugin
/// has had (worker/input_shuffle.h says how many contents there are). Any call of a side sample may
/// be the checked one, the leading one too, so none can be told from another
/// (worker/timed_checks.h). Which is checked, and what the next inputs are, is drawn when it is
/// needed: nothing in memory says so before.
///
/// Calls below 20 us: a side sample has several (`calls_per_half`, as many on both sides, so many
/// that the shorter side's last 20 us together; at most 64, and at most 1 ms of the longer side's).
/// Each is clocked by itself, and the side sample counts as the mean. Calls are not clocked in
/// blocks, because the inputs could not change between the calls of a block. One pair of readings
/// costs 20 to 80 ns; its median is measured before the pairs, stored (`clock_ns`) and taken out of
/// each timed call. `tests/bench/aa_bench` compares this with blocks.
///
/// Included: the allocations that a side makes by itself in a call, as in method upstream below.
/// Excluded: everything outside the clock above; compile, bind, first call and warm-up, which are
/// stored apart. The break-even count is compile plus bind time by what a call saves.
///
/// Controls. After every fourth pair comes one of two side samples of eager, by the same steps;
/// where eager takes 50 ms and more, the first of them is that of the pair. The median of their
/// ratios should be 1; its distance from 1 is the result's `noise_floor`. The verdicts `faster` and
/// `slower` need an interval that lies wholly beyond the noise floor.
///
/// Waits. On a busy machine the kernel takes the core from the thread in the middle of a call. A
/// call of 10 ms beside other programs waits in nearly every side sample, for longer than it
/// computes. The kernel counts for how long a thread was ready but had no core. If in both side
/// samples of a pair the calling thread alone did the work (no other thread of the process ran
/// meanwhile, nor a process that it has started), that time is subtracted from both: it is not
/// work, and the kernel measured it exactly. If other threads ran in one of them, both keep it:
/// those threads may have caused the wait or worked during it, and a time without waits must not be
/// divided by one with waits. Nor is it taken out of side samples of several calls, where it may
/// have fallen between two. `call_ns` stays the wall clock, `waited_ns` is what was taken out;
/// ratio, medians, the other statistics and the break-even are all made of the difference. If more
/// than a fifth of a side was taken out (`max_waited`), there is no interval and the verdict is
/// `unstable`: what is left then says more about the kernel's counters than about the side.
/// The host's steps around calls are timed without such waits (worker/untimed_work.h). Warm-up
/// calls, pairs on second weights and the times by which eager is watched (worker/eager_watch.h)
/// are taken without waits of any thread, where they cannot be told to the microsecond too
/// (`unwaited_ns`, disturbance.h): they are few, and decide about flags.
///
/// Outliers. A side sample with a wait that is left in is marked, if other programs can have had
/// the cores for so long (at most what `threads` cores offer and the worker did not use), and so
/// are all side samples of an interval between two interim analyses during which the hypervisor
/// took much time. A plugin's threads may also wait for each other. That is no mark if all of this
/// holds: other threads of the worker ran for half as long as its calling thread waited; this is so
/// in a quarter of the pairs, and in twice as many as those in which eager waited; and others had
/// at most a tenth of a core since the attempt began (`others_share`; where it is unknown the mark
/// stays). A marked side sample drops its whole pair, so both sides lose the same; dropped pairs
/// are counted and stay in the record. If more than a third would be dropped, none is, the verdict
/// is `unstable` and there is no interval. No pair is dropped because of its duration.
///
/// The ratio is eager by plugin: the median of the pairs' log ratios. Beside it stand, for a second
/// opinion and for readers of other tools, the Hodges-Lehmann estimate, the ratio of the two minima
/// (of the wall clock; the better one for short calls if every disturbance only adds time) and the
/// ratio of the two medians.
///
/// The interval is a bootstrap over pairs, in blocks as long as neighbouring pairs are alike. It is
/// analysed after 12, 24, 48, ... pairs. Stopping at the first good result inflates the error, so
/// the error of 5 % is split evenly over the planned interim analyses. Each single interval is
/// therefore wider than a 95 % one (`confidence`). It says how well **this** run determined the
/// ratio. It does not cover what is constant during a run: memory layout, addresses, the compiled
/// code of this one compile, the machine.
///
/// Verdicts: `same` within m %, `faster`, `slower`, `unstable`; the rule is in pair_summary.h. For
/// `faster` and `slower` the interval must be beyond 1 at a confidence of 99 %.
/// `unstable` describes the machine, not the sample, and is never a failure. The pairs are measured
/// once more, at a quieter moment if there is one; the second result is reported with its interval.
///
/// Cache state. `hot`: all calls get their arguments at the same addresses, inputs partly or wholly
/// written anew before each, so whatever fits into the caches is there. `cold`: before each timed
/// call a buffer of twice the last-level cache is written; a side sample is one call. Modified
/// lines are left behind, so the call also pays for writing some of them back, on both sides. The
/// caches of a model in a larger program are between these two states.
///
/// Replay. With `replay: true` (protocol `replay`; CUDA devices, and plugins whose manifest says
/// `graph_capturable`) the plugin's call is captured in a CUDA graph after its warm-up, and each of
/// its timed calls is one launch of that graph; its code does not run in them. Capturing and
/// instantiating is `capture_ns`, apart from compile and bind, and counts towards the break-even.
/// The launches have a warm-up of their own (`timing.replay`). Input and output buffers are those
/// of the plugin's ordinary calls: new content is copied into them between the calls and reaches a
/// launch at the addresses that the graph holds, so timed calls are checked as ever. Eager stays as
/// it is, launched operator by operator: libtorch's allocator gives the memory of intermediate
/// results away again after a call unless it is captured with a pool of its own, and operators that
/// read back sizes cannot be captured at all. So the ratio is **launched eager by replayed
/// plugin**: it contains the launches that the graph saves, which for small kernels is most of it.
/// What the kernels themselves save is seen in the device's busy times of both sides, which the
/// proof takes
/// (`proof.device`: `busy_ns`, `replays.busy_ns`, `eager_calls.busy_ns`), and in the medians of
/// `timing.event_ns`. Cold caches need no rotating buffers: there is a flush before each launch.
/// None of this has been run on a device yet, only against a made-up driver.
///
/// Threads. Each side may work on n cores at a time, with however many threads: from eager's
/// warm-up on all threads of the worker are bound to the same n cores (`affinity`; the cores stand
/// in `timing.cores`), but for the plugin's create, compile and bind, which may use
/// `compile_threads` cores. What undoes that shows: the processor time of the worker and of all
/// processes that it has started is recorded for the side samples of each side (`timing.cpu_ns`,
/// with the wall clock of the same stretches in `cpu_wall_ns`), and above n times the wall clock by
/// more than 5 %, or by more than 15 % in half of the side samples, the record is flagged
/// `over_threads`. So it is if they ran on other cores than those for more than 5 % of the plugin's
/// timed calls. The kernel counts both by itself where it offers performance events
/// (measure/family_clock.h). Processes that live beside the timed calls, or are started there
/// (measure/fork_log.h), are flagged `helper_process`. With n > 1 both sides have n threads each,
/// in one process, and take turns. Waits cannot be taken out then; beside a busy neighbour such
/// results become `unstable`, and fewer threads than cores are the remedy.
///
/// Clock. Durations come from the processor's counter, whose rate is fixed before a plugin is
/// mapped; where it is not invariant, from CLOCK_MONOTONIC_RAW by a system call of our own. So is
/// the cost of a reading, unless it is less now. libc's clock and the kernel's (by a system call)
/// check it: if one of them differs by more than 1 % over the side samples of a side, in either
/// direction, the plugin has failed (`clock_tampered`). It has also failed if libtorch's settings
/// changed since before it was loaded (`settings_changed`, eager/settings.h). If eager is slower in
/// the pairs than in its warm-up by more than 10 % and more than the interval, a copy of the worker
/// from before the plugin was loaded runs eager in turns with it, and `eager_slowed` is flagged if
/// the copy is faster by more than 10 %, in the whole interval of their ratios, and by half of what
/// is to be explained, twice (worker/eager_watch.h). A plugin that slows eager by less than that is
/// not detected.
///
/// Steps around a call. What the host does right before and behind each timed call (new content,
/// output buffers, the way to the clock and from it), and copying the outputs of a checked one, is
/// timed too and compared with the same steps of eager's warm-up. If they take longer by more than
/// a tenth of a call, code of the plugin works in them, in the handler of a trap for instance:
/// `untimed_work` (worker/untimed_work.h), unless they take as long around eager's calls and in a
/// process without the plugin. A trap of less than 2 us a call is not detected, nor one of less
/// than 4 us that lengthens the steps of eager's calls, too; on a device, of less than 60 us and
/// the steps' earlier time.
///
/// How good it is. A/A runs, the same call on both sides, one thread, on two cores beside compile
/// jobs and a bursty neighbour (load 9), 5 to 40 experiments a length; 90th percentile of the error
/// of the ratio for calls of 0.1, 1, 10 and 50 ms: 0.001, 0.05, 0.3 and 0.1 %; of method upstream
/// in the same runs 0.1, 2.5, 13 and 23 %. First-mover bias at most 0.05 %, no result unstable. On
/// a machine without other jobs, 8 to 100 experiments a length: 0.005, 0.004, 0.13 and 0.05 %
/// (upstream 0.009, 1.2, 0.3 and 0.4 %), beside the bursty neighbour alone 0.005, 0.004, 0.2 and
/// 0.09 % (0.02, 2.3, 1.5 and 0.4 %, at worst 57 %); 99 to 100 % of the intervals held 1.
/// `tests/bench/aa_bench` repeats this anywhere.
///
/// Tried and left out, on recorded A/A pairs of 10 and 50 ms beside such neighbours: the minimum of
/// two to eight neighbouring side samples (no better than the median once waits are taken out at 10
/// ms, up to twice as good at 50 ms, at the price of an interval from a third of the values),
/// dropping every side sample with a wait (two to four times worse than dropping none: hardly any
/// is left), the median of each side (worse, as drift does not cancel).
///
/// Never use these numbers to
///   - compare two plugins by their ratios to eager where the intervals overlap;
///   - add up to the running time of a larger program (one caller, fixed shapes, see Cache state);
///   - claim anything about code size, memory or energy;
///   - compare a ratio of replayed calls with one of launched calls;
///   - compare machines, thread counts, cache or weight modes: those are in the record because they
///     must be equal before two records are compared.
///
/// source   pairing, random order, leading call: A/A experiments with 0.1 to 17 ms calls; the
/// second
///          field of schedstat: Documentation/scheduler/sched-stats.rst
inline constexpr const char* kMethodPaired = "paired";

/// Method `upstream`: what its numbers contain, and what they must not be used for.
///
/// It repeats GraphNet bench's own procedure, so that our records can stand beside published ones.
///
/// Order. Eager first: first call, `warmup` calls, `trials` calls. Then the plugin: compile, bind,
/// first call, `warmup` calls, `trials` calls. Each side runs without a pause; the sides do not
/// alternate.
///
/// What each clock starts and stops around (all are CLOCK_MONOTONIC_RAW, in nanoseconds; one pair
/// of readings adds 40 to 80 ns to a duration, which is not subtracted):
///
/// | key             | from ... to                                                               |
/// |-----------------|---------------------------------------------------------------------------|
/// | `first_call_ns` | call ... outputs complete, of the very first call of that side            |
/// | `warmup_ns`     | the same, of each warm-up; kept for the eye, in no statistic              |
/// | `trials_ns`     | the same, of each trial; median, IQR and the others come from these alone |
/// | `event_ns`      | of `timing`, on a device: of each trial by the device's own clock, from   |
/// |                 | an event before the call to one after it                                  |
/// | `compile_ns`    | `gn_backend_compile`: graph in, executable out                            |
/// | `bind_ns`       | `bind`: weights in, whatever the plugin makes of them kept                |
///
/// "Outputs complete" means that the values can be read: on a CPU when the call returns; on a
/// device after it has been synchronised, inside the clock.
///
/// Excluded from every trial: reading the sample, generating its inputs, compile and bind, the
/// first call, moving arguments to the device, allocating the plugin's output buffers (the host
/// does that once), keeping a copy of the first outputs, comparing them, printing, and putting back
/// what a call changes (torch's generator for random programs, arguments that the program writes
/// to): that happens before every call of either side. Included: the allocations that a side makes
/// by itself in a call. Eager allocates every intermediate and every output, as in PyTorch; that is
/// part of what a compiler can save. Excluded on our eager side but included in upstream's: the
/// Python interpreter. Small graphs are 1.6 to 2 times faster here than in PyTorch from Python, so
/// a speedup of ours is lower than upstream's for the same compiler.
///
/// Cache state: hot. All calls get the same arguments at the same addresses, so whatever fits in
/// the caches is there, weights included. A model inside a larger program will find them colder.
///
/// What it cannot say. Its calls repeat one input by definition, so a plugin that remembers results
/// has nothing to do in them, and no check of outputs can tell: timed calls are `unchecked`, which
/// each record says. Outputs are made worthless before every call as in `paired`, and when the
/// times have been taken a few calls on other inputs are compared with eager.
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
inline constexpr const char* kMethodUpstream = "upstream";

/// Half-width around 1 within which a single speedup of method `upstream` is no difference.
///
/// units    fraction
inline constexpr double kUpstreamNoise = 0.10;

}  // namespace graphnet::measure
