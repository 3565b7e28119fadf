package io.headgate.agent.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.AttemptLifecycle.Action;
import io.headgate.agent.core.AttemptLifecycle.Event;
import io.headgate.agent.core.AttemptLifecycle.Transition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// The whole matrix of states and events.
class AttemptLifecycleTest {
  private final Set<Transition> visited = new HashSet<>();

  private void legal(AttemptState from, Event event, AttemptState to, Action... actions) {
    Transition transition = AttemptLifecycle.transition(from, event).orElseThrow();
    assertThat(transition.to()).as("%s %s", from, event).isEqualTo(to);
    assertThat(transition.actions()).as("%s %s", from, event).containsExactly(actions);
    visited.add(transition);
  }

  @Test
  void matrix() {
    for (AttemptState live :
        List.of(
            AttemptState.STARTING,
            AttemptState.RUNNING,
            AttemptState.STOPPING,
            AttemptState.SUSPENDED)) {
      legal(live, Event.GONE, AttemptState.RELEASING, Action.RELEASE);
      legal(live, Event.VANISHED, AttemptState.RELEASING, Action.KILL_AND_RELEASE);
      legal(live, Event.STOP_SEEN, AttemptState.STOPPING);
    }
    legal(AttemptState.STARTING, Event.STARTED, AttemptState.RUNNING, Action.REPORT);
    legal(AttemptState.RUNNING, Event.STARTED, AttemptState.RUNNING);
    legal(AttemptState.STOPPING, Event.STARTED, AttemptState.STOPPING);
    for (AttemptState stoppable :
        List.of(AttemptState.STARTING, AttemptState.RUNNING, AttemptState.SUSPENDED)) {
      legal(stoppable, Event.STOP_ORDERED, AttemptState.STOPPING, Action.SEND_STOP, Action.REPORT);
    }
    legal(AttemptState.STOPPING, Event.STOP_ORDERED, AttemptState.STOPPING, Action.SEND_STOP);
    legal(
        AttemptState.STOPPING,
        Event.SUSPENDED,
        AttemptState.SUSPENDED,
        Action.RECORD_SUSPENSION,
        Action.REPORT);
    legal(AttemptState.SUSPENDED, Event.STARTED, AttemptState.SUSPENDED);
    legal(
        AttemptState.SUSPENDED,
        Event.RESUME_ORDERED,
        AttemptState.STARTING,
        Action.RECORD_RESUMPTION,
        Action.RESUME);
    legal(AttemptState.RELEASING, Event.STOP_ORDERED, AttemptState.RELEASING);
    legal(AttemptState.ENDED, Event.STOP_ORDERED, AttemptState.ENDED, Action.REPORT);
    legal(
        AttemptState.RELEASING,
        Event.RELEASED,
        AttemptState.ENDED,
        Action.RECORD_END,
        Action.REPORT);

    assertThat(visited).as("every transition is visited").hasSameSizeAs(AttemptLifecycle.table());
    List<String> impossible = new ArrayList<>();
    for (AttemptState state : AttemptState.values()) {
      for (Event event : Event.values()) {
        if (AttemptLifecycle.transition(state, event).isEmpty()) {
          impossible.add(state + " " + event);
        }
      }
    }
    assertThat(impossible)
        .containsExactly(
            "STARTING SUSPENDED",
            "STARTING RESUME_ORDERED",
            "STARTING RELEASED",
            "RUNNING SUSPENDED",
            "RUNNING RESUME_ORDERED",
            "RUNNING RELEASED",
            "STOPPING RESUME_ORDERED",
            "STOPPING RELEASED",
            "SUSPENDED SUSPENDED",
            "SUSPENDED RELEASED",
            "RELEASING STARTED",
            "RELEASING STOP_SEEN",
            "RELEASING SUSPENDED",
            "RELEASING RESUME_ORDERED",
            "RELEASING GONE",
            "RELEASING VANISHED",
            "ENDED STARTED",
            "ENDED STOP_SEEN",
            "ENDED SUSPENDED",
            "ENDED RESUME_ORDERED",
            "ENDED GONE",
            "ENDED VANISHED",
            "ENDED RELEASED");
  }

  @Test
  void reportsAnEndOnlyAfterItIsRecorded() {
    assertThat(AttemptLifecycle.table())
        .filteredOn(transition -> transition.actions().contains(Action.RECORD_END))
        .isNotEmpty()
        .allSatisfy(transition ->
            assertThat(transition.actions()).containsSubsequence(Action.RECORD_END, Action.REPORT));
  }
}
