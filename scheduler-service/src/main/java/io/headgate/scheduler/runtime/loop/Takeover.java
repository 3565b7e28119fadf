package io.headgate.scheduler.runtime.loop;

import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.runtime.record.LoadedState;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells how long the parts of a take-over take. One thread after the other uses it, but for
/// [#assigned], which only the one does that speaks to agents.
public final class Takeover {
  private static final Logger LOG = LoggerFactory.getLogger(Takeover.class);

  /// What a take-over waits for, one after the other.
  public enum Part {
    /// The leader before is silent, and nobody may follow it yet.
    NOTICE,
    /// What it left is read.
    LOAD,
    /// A leader is made of it.
    BUILD,
    /// Agents say what they run; each gets work as soon as it has.
    REPORT
  }

  private final TimeSource time;
  private final LoopMetrics metrics;
  private final boolean isReal;
  private final long electedNanos;
  private long partNanos;
  private boolean hasAssigned;

  /// Begins now: the replica has just been elected.
  ///
  /// @param silence since the leader before renewed its lease for the last time
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

  /// One of which nobody is told.
  public static Takeover rehearsed(LeaderPorts ports) {
    return new Takeover(ports, false);
  }

  /// When the replica was elected, by the monotonic clock.
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
    tell("made a leader of them in {} ms", end(Part.BUILD));
  }

  /// No node is waited for any more.
  ///
  /// @param nodes that said what they run, and got work as soon as they had
  /// @param expected that had said it to the leaders before
  void reported(int nodes, int expected) {
    long millis = end(Part.REPORT);
    tell(
        "{} of {} nodes said what they run within {} ms: none is waited for any more, {} ms after"
            + " the election",
        nodes,
        expected,
        millis,
        sinceElection());
  }

  /// An agent was told to start something.
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

  /// In milliseconds, how long the part took that ends now.
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
