package io.headgate.agent.core;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The life of an attempt on a machine, as one table: (state, event) to (next state, actions).
public final class AttemptLifecycle {
  /// An event in the life of an attempt.
  public enum Event {
    /// Its program was seen running.
    STARTED,
    /// The scheduler, or the closing agent, wants it stopped.
    STOP_ORDERED,
    /// Its supervisor stops it, for any cause.
    STOP_SEEN,
    /// Instead of being stopped it stands still in main memory.
    SUSPENDED,
    /// The scheduler wants the suspended attempt to resume.
    RESUME_ORDERED,
    /// Nothing of the job lives any more, or it never did.
    GONE,
    /// Its supervisor is gone without a last word; some of the job may live.
    VANISHED,
    /// Its slices are free.
    RELEASED
  }

  /// The action that follows from an event.
  public enum Action {
    /// Tell its supervisor to stop it.
    SEND_STOP,
    /// Record that it is suspended.
    RECORD_SUSPENSION,
    /// Record that it is no longer suspended.
    RECORD_RESUMPTION,
    /// Resume it.
    RESUME,
    /// Free its slices.
    RELEASE,
    /// Kill its remaining processes, then free its slices.
    KILL_AND_RELEASE,
    /// Record its end for good.
    RECORD_END,
    /// Tell the scheduler how it stands.
    REPORT
  }

  /// One entry of the table.
  public record Transition(AttemptState from, Event event, AttemptState to, List<Action> actions) {}

  private static final List<Transition> TABLE =
      List.of(
          row(AttemptState.STARTING, Event.STARTED, AttemptState.RUNNING, Action.REPORT),
          row(
              AttemptState.STARTING,
              Event.STOP_ORDERED,
              AttemptState.STOPPING,
              Action.SEND_STOP,
              Action.REPORT),
          row(AttemptState.STARTING, Event.STOP_SEEN, AttemptState.STOPPING),
          row(AttemptState.STARTING, Event.GONE, AttemptState.RELEASING, Action.RELEASE),
          row(
              AttemptState.STARTING,
              Event.VANISHED,
              AttemptState.RELEASING,
              Action.KILL_AND_RELEASE),
          row(AttemptState.RUNNING, Event.STARTED, AttemptState.RUNNING),
          row(
              AttemptState.RUNNING,
              Event.STOP_ORDERED,
              AttemptState.STOPPING,
              Action.SEND_STOP,
              Action.REPORT),
          row(AttemptState.RUNNING, Event.STOP_SEEN, AttemptState.STOPPING),
          row(AttemptState.RUNNING, Event.GONE, AttemptState.RELEASING, Action.RELEASE),
          row(
              AttemptState.RUNNING,
              Event.VANISHED,
              AttemptState.RELEASING,
              Action.KILL_AND_RELEASE),
          row(AttemptState.STOPPING, Event.STARTED, AttemptState.STOPPING),
          // Sent again each time: one that skips the callback ends a callback that runs.
          row(AttemptState.STOPPING, Event.STOP_ORDERED, AttemptState.STOPPING, Action.SEND_STOP),
          row(AttemptState.STOPPING, Event.STOP_SEEN, AttemptState.STOPPING),
          row(AttemptState.STOPPING, Event.GONE, AttemptState.RELEASING, Action.RELEASE),
          row(
              AttemptState.STOPPING,
              Event.VANISHED,
              AttemptState.RELEASING,
              Action.KILL_AND_RELEASE),
          row(
              AttemptState.STOPPING,
              Event.SUSPENDED,
              AttemptState.SUSPENDED,
              Action.RECORD_SUSPENSION,
              Action.REPORT),
          row(AttemptState.SUSPENDED, Event.STARTED, AttemptState.SUSPENDED),
          row(
              AttemptState.SUSPENDED,
              Event.RESUME_ORDERED,
              AttemptState.STARTING,
              Action.RECORD_RESUMPTION,
              Action.RESUME),
          row(
              AttemptState.SUSPENDED,
              Event.STOP_ORDERED,
              AttemptState.STOPPING,
              Action.SEND_STOP,
              Action.REPORT),
          row(AttemptState.SUSPENDED, Event.STOP_SEEN, AttemptState.STOPPING),
          row(AttemptState.SUSPENDED, Event.GONE, AttemptState.RELEASING, Action.RELEASE),
          row(
              AttemptState.SUSPENDED,
              Event.VANISHED,
              AttemptState.RELEASING,
              Action.KILL_AND_RELEASE),
          row(AttemptState.RELEASING, Event.STOP_ORDERED, AttemptState.RELEASING),
          row(
              AttemptState.RELEASING,
              Event.RELEASED,
              AttemptState.ENDED,
              Action.RECORD_END,
              Action.REPORT),
          row(AttemptState.ENDED, Event.STOP_ORDERED, AttemptState.ENDED, Action.REPORT));

  private static final Map<AttemptState, Map<Event, Transition>> INDEX = index();

  private AttemptLifecycle() {}

  /// The transition for an event; empty: the event cannot happen in this state.
  public static Optional<Transition> transition(AttemptState state, Event event) {
    return Optional.ofNullable(INDEX.getOrDefault(state, Map.of()).get(event));
  }

  /// All transitions, in the order of the table.
  public static List<Transition> table() {
    return TABLE;
  }

  private static Transition row(
      AttemptState from, Event event, AttemptState to, Action... actions) {
    return new Transition(from, event, to, List.of(actions));
  }

  private static Map<AttemptState, Map<Event, Transition>> index() {
    Map<AttemptState, Map<Event, Transition>> index = new EnumMap<>(AttemptState.class);
    for (Transition transition : TABLE) {
      Transition twin =
          index
              .computeIfAbsent(transition.from(), state -> new EnumMap<>(Event.class))
              .put(transition.event(), transition);
      if (twin != null) {
        throw new IllegalStateException("two transitions for " + twin);
      }
    }
    return index;
  }
}
