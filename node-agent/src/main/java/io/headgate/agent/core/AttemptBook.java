package io.headgate.agent.core;

import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Every attempt that this machine has a record of. One moves by the table of [AttemptLifecycle]
/// alone, or is there from the beginning as one that has ended.
final class AttemptBook {
  private final SortedMap<AttemptKey, Attempt> attempts = new TreeMap<>();

  /// By their keys, as they are now.
  List<Attempt> all() {
    return List.copyOf(attempts.values());
  }

  @Nullable Attempt get(AttemptKey key) {
    return attempts.get(key);
  }

  void put(Attempt attempt) {
    attempts.put(attempt.key(), attempt);
  }

  /// The worker of a gang is prepared, and is reached there.
  void prepared(AttemptKey key, WorkerAddress address, List<Effect> effects) {
    Attempt known = attempts.get(key);
    if (known != null && known.state().compareTo(AttemptState.RELEASING) < 0) {
      Attempt prepared = known.preparedAt(address);
      put(prepared);
      effects.add(new Effect.Report(prepared.report()));
    }
  }

  void remove(AttemptKey key) {
    attempts.remove(key);
  }

  /// The attempt that a command is about. Where the command or the record, of an older version, has
  /// no uid, the name tells.
  @Nullable Attempt known(AttemptKey key) {
    Attempt exact = attempts.get(key);
    if (exact != null || !key.uid().isEmpty()) {
      return exact != null ? exact : attempts.get(key.byName());
    }
    Iterator<Attempt> from = attempts.tailMap(key).values().iterator();
    Attempt next = from.hasNext() ? from.next() : null;
    return next != null && next.key().byName().equals(key) ? next : null;
  }

  /// It ends without having run here, and a late copy of the command does not start it.
  void endUnstarted(
      AttemptKey key, EndReason reason, String problem, Instant now, List<Effect> effects) {
    AttemptReport report = AttemptReport.neverRan(key, reason, problem, now);
    put(Attempt.ended(report));
    effects.add(new Effect.RecordEnd(report));
    effects.add(new Effect.Report(report));
  }

  /// Moves the attempt by the table and adds the effects that the table demands.
  Attempt move(
      Attempt attempt,
      AttemptLifecycle.Event event,
      Optional<StopOrder> order,
      List<Effect> effects) {
    AttemptLifecycle.Transition transition =
        AttemptLifecycle.transition(attempt.state(), event)
            .orElseThrow(
                () -> new IllegalStateException(event + " of " + attempt.key() + " in " + attempt));
    Attempt next = attempt.in(transition.to());
    put(next);
    for (AttemptLifecycle.Action action : transition.actions()) {
      effects.add(effectOf(action, next, order));
    }
    return next;
  }

  private static Effect effectOf(
      AttemptLifecycle.Action action, Attempt attempt, Optional<StopOrder> order) {
    return switch (action) {
      case SEND_STOP -> new Effect.SendStop(assignmentOf(attempt), order.orElseThrow());
      case RECORD_SUSPENSION -> new Effect.RecordSuspension(attempt.key(), attempt.suspension());
      case RECORD_RESUMPTION -> new Effect.RecordResumption(attempt.key());
      case RESUME -> new Effect.Resume(assignmentOf(attempt));
      case RELEASE -> new Effect.Release(assignmentOf(attempt), false);
      case KILL_AND_RELEASE -> new Effect.Release(assignmentOf(attempt), true);
      case RECORD_END -> new Effect.RecordEnd(attempt.report());
      case REPORT -> new Effect.Report(attempt.report());
    };
  }

  private static Assignment assignmentOf(Attempt attempt) {
    return attempt.assignment().orElseThrow();
  }
}
