package io.headgate.scheduler.runtime.loop;

import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.runtime.record.LoadedState;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Measures and logs the parts of a take-over. Its threads use it one after the other. Only the
/// thread that sends to agents calls [#assigned].
public final class Takeover {
  private static final Logger LOG = LoggerFactory.getLogger(Takeover.class);

  /// The consecutive parts of a take-over.
  public enum Part {
    /// The former leader is silent, and no replica may follow it yet.
    NOTICE,
    /// The new leader reads the stored state.
    LOAD,
    /// The new leader is built from the state.
    BUILD,
    /// Agents report their attempts; each node gets work as soon as it has reported.
    REPORT
  }

  private final TimeSource time;
  private final LoopMetrics metrics;
  private final boolean isReal;
  private final long electedNanos;
  private long partNanos;
  private boolean hasAssigned;

  /// Begins at the election of the replica.
  ///
  /// @param silence time since the former leader's last renewal
  public Takeover(LeaderPorts ports, Duration silence) {
    this(ports, true);
    metrics.tookOver(Part.NOTICE, silence.toNanos());
  }

  private Takeover(LeaderPorts ports, boolean isReal) {
    this.time = ports.time();
    this.metrics = ports.metrics();
    this.isReal = isReal;
    this.electedNanos = time.monotonicNanos();
    this.partNanos = electedNanos;
  }

  /// A take-over for a warm-up: it logs nothing.
  public static Takeover silent(LeaderPorts ports) {
    return new Takeover(ports, false);
  }

  /// Monotonic time of the election, in nanoseconds.
  long electedNanos() {
    return electedNanos;
  }

  public void loaded(LoadedState loaded) {
    tell(
        "loaded {} jobs, {} of them with an attempt, in {} ms",
        loaded.jobs().size(),
        loaded.attempts().size(),
        end(Part.LOAD));
  }

  public void built() {
    tell("built the leader's state in {} ms", end(Part.BUILD));
  }

  /// The leader no longer waits for any node.
  ///
  /// @param nodes number of nodes that reported to this leader
  /// @param expected number of nodes that had reported to earlier leaders
  void reported(int nodes, int expected) {
    long millis = end(Part.REPORT);
    tell(
        "{} of {} nodes reported their jobs within {} ms; the leader waits for no others, {} ms"
            + " after the election",
        nodes,
        expected,
        millis,
        sinceElection());
  }

  /// A start command was sent to an agent.
  public void assigned() {
    if (!hasAssigned) {
      hasAssigned = true;
      tell("the first assignment was sent {} ms after the election", sinceElection());
    }
  }

  private void tell(String what, Object... values) {
    if (isReal) {
      LOG.info(what, values);
    }
  }

  private long sinceElection() {
    return millis(time.monotonicNanos() - electedNanos);
  }

  /// Ends the current part and returns its duration in milliseconds.
  private long end(Part part) {
    long now = time.monotonicNanos();
    long took = now - partNanos;
    partNanos = now;
    metrics.tookOver(part, took);
    return millis(took);
  }

  private static long millis(long nanos) {
    return Duration.ofNanos(nanos).toMillis();
  }
}
