package io.headgate.agent.qualify;

import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.kit.time.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/// Slices are made and removed again and again.
///
/// @param time of this machine
record MakeAndRemove(TimeSource time) implements Experiment {
  private static final int TIMES = 20;
  private static final Duration RELEASE = Duration.ofSeconds(10);
  private static final Duration ENOUGH = Duration.ofSeconds(60);

  @Override
  public String name() {
    return "create and destroy";
  }

  @Override
  public String claim() {
    return "A slice can be made and removed again and again, and nothing is left.";
  }

  @Override
  public String needs() {
    return "parts of a GPU";
  }

  @Override
  public boolean usesProbe() {
    return false;
  }

  @Override
  public Finding run(Bench bench) throws IOException, InterruptedException {
    GpuDriver driver = bench.driver();
    List<Long> made = new ArrayList<>();
    List<Long> removed = new ArrayList<>();
    long begun = time.monotonicNanos();
    for (int i = 0; i < TIMES && time.monotonicNanos() - begun < ENOUGH.toNanos(); i++) {
      SlicePlan plan = bench.plan("made-" + i, 0);
      driver.requireRoom(List.of(plan));
      long begins = time.monotonicNanos();
      try {
        driver.realise(plan);
        made.add(time.monotonicNanos() - begins);
      } finally {
        removed.add(remove(bench, plan));
      }
    }
    SlicePlan next = bench.plan("made-next", 0);
    driver.requireRoom(List.of(next));
    return Finding.passed("%d times, and nothing is left".formatted(made.size()))
        .with("mechanism", next.mechanism())
        .with("made, p50 ms", half(made))
        .with("made, longest ms", ms(Collections.max(made)))
        .with("removed, p50 ms", half(removed))
        .with("removed, longest ms", ms(Collections.max(removed)));
  }

  /// As an agent does: what its driver still calls in use may be free a moment later.
  private long remove(Bench bench, SlicePlan plan) throws IOException, InterruptedException {
    long begun = time.monotonicNanos();
    boolean free =
        Polling.until(
            RELEASE,
            () -> {
              try {
                bench.release(plan);
                return true;
              } catch (GpuDriverException _) {
                return false;
              }
            });
    if (!free) {
      // The failure then comes in the driver's words.
      bench.release(plan);
    }
    return time.monotonicNanos() - begun;
  }

  private static String half(List<Long> nanos) {
    return ms(nanos.stream().sorted().toList().get(nanos.size() / 2));
  }

  private static String ms(long nanos) {
    return String.format(Locale.ROOT, "%.1f", nanos / 1e6);
  }
}
