package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How many times as long as on a calm machine a job takes to begin here. Promises in seconds hold
/// for a calm machine, so a busy one gets that factor more. A machine that is more than [#BUSY]
/// times as slow shows nothing about a promise: the test does not pass there, it is aborted.
final class Pace {
  private static final Logger LOG = LoggerFactory.getLogger(Pace.class);

  /// From the submission until the job runs, on two cores with no other work.
  private static final Duration CALM_START = Duration.ofMillis(500);

  private static final int PROBES = 3;

  /// Up to this factor a promise is shown with its multiple.
  private static final double BUSY = 2;

  /// A time of more than this multiple of its promise is a failure on any machine.
  private static final double MOST = 4;

  private final JobStream stream;
  private final List<String> notShown = new ArrayList<>();
  private double factor = 1;

  /// The meaning of a time for a promise.
  enum Verdict {
    /// The promise was kept, by the pace of the machine.
    KEPT,
    /// The machine is too slow to tell.
    NOT_SHOWN,
    /// The promise was broken.
    BROKEN
  }

  private Pace(JobStream stream) {
    this.stream = stream;
  }

  static Pace of(JobStream stream) {
    return new Pace(stream);
  }

  /// Judges a time.
  ///
  /// @param factor how many times as slow as a calm machine this one is
  static Verdict judge(Duration promise, double factor, long tookMs) {
    double times = tookMs / (double) promise.toMillis();
    if (times <= 1 || (times <= factor && factor <= BUSY)) {
      return Verdict.KEPT;
    }
    return times <= Math.min(factor, MOST) ? Verdict.NOT_SHOWN : Verdict.BROKEN;
  }

  /// Measures with jobs that no fault disturbs, before the next fault, and prints the factor.
  void measure() {
    List<Long> times = new ArrayList<>();
    for (int i = 0; i < PROBES; i++) {
      long begin = System.currentTimeMillis();
      times.add(stream.runOne("probe-" + stream.size()) - begin);
    }
    times.sort(null);
    long median = times.get(PROBES / 2);
    factor = Math.max(1, median / (double) CALM_START.toMillis());
    LOG.info(
        "without a fault a job begins after {} ms; this machine is {} times as slow as a calm one",
        median,
        "%.1f".formatted(factor));
  }

  /// Fails if a job began later than promised.
  ///
  /// @param what after which it began
  /// @param tookMs from the moment from which the promise counts
  void check(Object what, Duration promise, long tookMs) {
    String text =
        "%d ms until a job began after %s; promised are %d ms, on a machine that is %.1f times as slow"
            .formatted(tookMs, what, promise.toMillis(), factor);
    Verdict verdict = judge(promise, factor, tookMs);
    assertThat(verdict).as(text).isNotEqualTo(Verdict.BROKEN);
    if (verdict == Verdict.NOT_SHOWN) {
      System.err.println("NOT SHOWN on this machine: " + text);
      notShown.add(text);
    }
  }

  /// Aborts the test if a promise was not shown. Call it last, so that all else is checked.
  void demandShown() {
    assumeThat(notShown).as("promises that this machine is too slow to show").isEmpty();
  }
}
