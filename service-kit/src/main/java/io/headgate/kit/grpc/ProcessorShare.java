package io.headgate.kit.grpc;

import io.headgate.kit.time.TimeSource;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/// Bounds the processor time of some threads: each [pauses][#use] after its work for as long as the
/// threads together have used more than their share. One pause has a bound, and what is left of the
/// debt is due with the next one.
///
/// With a share of 0.25 and a burst of 100 ms, work of 140 ms makes its thread pause for 160 ms.
///
/// The threads keep the ordinary priority. On Linux a thread passes a low priority on to each
/// thread that it starts, such as the carriers of virtual threads, and no ordinary user can raise
/// it again.
///
/// Thread-safe.
final class ProcessorShare {
  /// The longest pause at once, so that a thread can do what must not wait.
  static final Duration LONGEST_PAUSE = Duration.ofMillis(250);

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final double processors;
  private final double burstNanos;
  private final TimeSource time;
  // Both guarded by this.
  private double leftNanos;
  private long sinceNanos;

  /// @param processors how many the threads may use over time; 0.25 is a quarter of one
  /// @param burst processor time that they may use at once after a rest
  ProcessorShare(double processors, Duration burst, TimeSource time) {
    this.processors = processors;
    this.burstNanos = burst.toNanos();
    this.time = time;
    this.leftNanos = burstNanos;
    this.sinceNanos = time.monotonicNanos();
  }

  /// The processor time that the calling thread has used so far, in nanoseconds; constant where the
  /// platform does not tell.
  static long nanosOfThread() {
    return THREADS.getCurrentThreadCpuTime();
  }

  /// Charges processor time that the calling thread has used, and pauses it for [#LONGEST_PAUSE] at
  /// most.
  ///
  /// @return whether the pause was long enough for the debt
  boolean use(long nanos) {
    long pause = charge(nanos);
    if (pause > 0) {
      LockSupport.parkNanos(Math.min(pause, LONGEST_PAUSE.toNanos()));
    }
    return pause <= LONGEST_PAUSE.toNanos();
  }

  /// Charges processor time that the calling thread has used.
  ///
  /// @return how long the thread that used it has to pause, in nanoseconds
  synchronized long charge(long nanos) {
    long now = time.monotonicNanos();
    leftNanos = Math.min(burstNanos, leftNanos + (now - sinceNanos) * processors) - nanos;
    sinceNanos = now;
    return leftNanos >= 0 ? 0 : (long) (-leftNanos / processors);
  }

  /// Gives time back that was used for something worth it.
  synchronized void giveBack(long nanos) {
    leftNanos = Math.min(burstNanos, leftNanos + (double) nanos);
  }
}
