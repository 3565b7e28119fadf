package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How many times as long as on a calm machine a job takes to begin here. Promises in seconds hold
/// for a calm machine, so a busy one gets that factor more.
final class Pace {
  private static final Logger LOG = LoggerFactory.getLogger(Pace.class);

  /// From the submission until the job runs, on two cores with no other work.
  private static final Duration CALM_START = Duration.ofMillis(500);

  private static final int PROBES = 3;

  /// A machine that is slower than this shows nothing about the promises.
  private static final double MOST = 4;

  private final JobStream stream;
  private double factor = 1;

  private Pace(JobStream stream) {
    this.stream = stream;
  }

  static Pace of(JobStream stream) {
    return new Pace(stream);
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
    factor = Math.clamp(median / (double) CALM_START.toMillis(), 1, MOST);
    LOG.info(
        "without a fault a job begins after {} ms; promises are multiplied by {}",
        median,
        "%.1f".formatted(factor));
  }

  /// Fails if a job began later than promised.
  ///
  /// @param tookMs from the moment from which the promise counts
  void check(Fault fault, long tookMs) {
    assertThat(tookMs)
        .as(
            "milliseconds until a job began after %s; promised are %s, times %.1f on this machine",
            fault, fault.promise(), factor)
        .isLessThanOrEqualTo(allowedMs(fault));
  }

  private long allowedMs(Fault fault) {
    return (long) (fault.promise().toMillis() * factor);
  }
}
