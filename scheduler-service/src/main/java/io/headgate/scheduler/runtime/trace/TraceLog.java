package io.headgate.scheduler.runtime.trace;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.Phase;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

/// The committed phases in the order of their events, and how far they have been written. Calls
/// block.
public interface TraceLog {
  /// Version of the last event whose spans are written; empty: nothing was ever written.
  OptionalLong cursor();

  /// Version of the last committed event.
  long newest();

  /// The phases of events after `after` and up to `upTo`, oldest first.
  List<EndedPhases> read(long after, long upTo);

  /// Moves the cursor. Does nothing if it is not at `from`, because another writer moved it.
  ///
  /// @return whether it moved
  boolean advance(OptionalLong from, long to);

  /// The phases that ended with an event, and the facts of their job.
  ///
  /// @param writtenAt when the event's transaction wrote it
  record EndedPhases(
      long version, Instant writtenAt, int attempt, JobFacts job, List<Phase> phases) {
    public EndedPhases {
      phases = List.copyOf(phases);
    }
  }

  /// Facts that all spans of a job state.
  ///
  /// @param traceparent column of the job's row
  record JobFacts(
      TenantId tenant,
      String name,
      String uid,
      String queue,
      String policy,
      String profile,
      String traceparent) {}
}
