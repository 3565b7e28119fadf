package io.headgate.scheduler.benchmark;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.function.Supplier;

/// Adds up what pieces of work take: by the clock, and of this thread's processor time, which says
/// what the work would take on a machine that is not busy with something else.
final class Stopwatch {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private long nanos;
  private long cpuNanos;

  <T> T time(Supplier<T> work) {
    long cpuBegun = THREADS.getCurrentThreadCpuTime();
    long begun = System.nanoTime();
    T result = work.get();
    nanos += System.nanoTime() - begun;
    cpuNanos += THREADS.getCurrentThreadCpuTime() - cpuBegun;
    return result;
  }

  long nanos() {
    return nanos;
  }

  long cpuNanos() {
    return cpuNanos;
  }
}
