package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.WorkerStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/// Lets agents obey while nothing comes from outside: decisions follow from each other until one
/// changes nothing. No state may come twice, for then they would never end.
public final class Settling {
  private static final int PASSES_AT_REST = 5;

  private final SchedulerCore core;
  private final Instant now;
  private final Set<String> seen = new LinkedHashSet<>();
  private String last;

  private Settling(SchedulerCore core, Instant now) {
    this.core = core;
    this.now = now;
    this.last = state(core);
    seen.add(last);
  }

  /// Lets agents obey until nothing is left to be done.
  ///
  /// @throws AssertionError if a state comes again, or passes at rest change something
  public static void requireRest(SchedulerCore core, Instant now) {
    new Settling(core, now).run();
  }

  private void run() {
    boolean moves = true;
    while (moves) {
      String before = last;
      // Either may come first; the order of these two is that of a machine that stops slowly.
      obey(attempt -> attempt.stop().isEmpty());
      obey(attempt -> attempt.stop().isPresent());
      moves = !last.equals(before);
    }
    for (int i = 0; i < PASSES_AT_REST; i++) {
      if (!core.decide(List.of(new Input.TimePassed()), now).effects().isEmpty()) {
        throw new AssertionError("a pass at rest changes something: " + seen);
      }
    }
  }

  private void obey(Predicate<Attempt> which) {
    List<Input> inputs = new ArrayList<>();
    for (Attempt attempt : core.state().attempts()) {
      for (int worker = 0; which.test(attempt) && worker < attempt.workers().size(); worker++) {
        if (attempt.stop().isPresent()) {
          inputs.add(new Input.WorkerStopped(attempt.id(), worker));
        } else if (attempt.workers().get(worker) == WorkerStatus.ASSIGNED) {
          inputs.add(new Input.WorkerStarted(attempt.id(), worker, now));
        }
      }
    }
    if (inputs.isEmpty()) {
      return;
    }
    core.decide(inputs, now);
    String state = state(core);
    if (!state.equals(last)) {
      last = state;
      if (!seen.add(state)) {
        throw new AssertionError("a state comes again: " + state + " after " + seen);
      }
    }
  }

  /// Jobs, places and holds, without times and attempt numbers.
  private static String state(SchedulerCore core) {
    Set<String> parts = new TreeSet<>();
    for (Job job : core.state().jobs()) {
      parts.add(job.id() + " " + job.state());
    }
    for (Attempt attempt : core.state().attempts()) {
      parts.add(
          attempt.id().job()
              + " in "
              + attempt.assignment()
              + (attempt.stop().isPresent() ? " stopping" : ""));
    }
    for (Hold hold : core.state().holds()) {
      parts.add(hold.job() + " holds " + hold.place());
    }
    return parts.toString();
  }
}
