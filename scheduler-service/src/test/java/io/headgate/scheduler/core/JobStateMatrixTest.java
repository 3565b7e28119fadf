package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobEvent;
import io.headgate.scheduler.core.job.JobLifecycle;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.NodeId;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/// Every state of a job against everything that can happen to it, each pair listed here and really
/// tried; and every state against every event of [JobLifecycle].
class JobStateMatrixTest {
  /// Requests about a job, and agents' reports of its only worker.
  private static final Map<String, Function<Driver, Input>> INPUTS = new LinkedHashMap<>();

  /// How a job `a` comes into each state. A job that stops does so to be cancelled, or to be
  /// requeued.
  private static final Map<String, Consumer<Driver>> STATES = new LinkedHashMap<>();

  static {
    INPUTS.put("submit", it -> new Input.JobSubmitted(it.spec("a", "q")));
    INPUTS.put("cancel", it -> new Input.JobCancelled(it.record("a")));
    INPUTS.put("requeue", it -> new Input.JobRequeued(it.record("a")));
    INPUTS.put("update", it -> new Input.JobUpdated(it.spec("a", "q").with().priority(1).build()));
    INPUTS.put("withdraw", it -> new Input.JobWithdrawn(it.id("a")));
    INPUTS.put("place", it -> new Input.NodeChanged(Driver.node("n", "pool", 1)));
    INPUTS.put("start", it -> new Input.WorkerStarted(last(it), 0, it.now));
    INPUTS.put("save", it -> new Input.AttemptCheckpointed(last(it), it.now));
    INPUTS.put("exit 0", it -> new Input.WorkerExited(last(it), 0, 0));
    INPUTS.put("exit 1", it -> new Input.WorkerExited(last(it), 0, 1));
    INPUTS.put("stopped", it -> new Input.WorkerStopped(last(it), 0));
    INPUTS.put("suspended", it -> new Input.WorkerSuspended(last(it), 0));
    INPUTS.put("reject", it -> new Input.WorkerRejected(last(it), 0, "no"));
    INPUTS.put("undeliver", it -> new Input.WorkerUndelivered(last(it), 0, "no"));
    INPUTS.put("lose", it -> new Input.WorkerLost(last(it), 0));
    INPUTS.put("clear", _ -> new Input.NodeCleared(new NodeId(TenantBuilder.ACME, "n")));
    INPUTS.put("time", _ -> new Input.TimePassed());
    STATES.put("DRAFT", it -> it.submit("q", "a").withdraw("a"));
    STATES.put("WAITING", it -> it.submit("q", "a"));
    STATES.put("ASSIGNED", it -> submitWithRoom(it));
    STATES.put("RUNNING", it -> submitWithRoom(it).run());
    STATES.put("STOPPING (cancel)", it -> submitWithRoom(it).run().cancel("a"));
    STATES.put("STOPPING (requeue)", it -> submitWithRoom(it).run().requeue("a"));
    STATES.put("STOPPING (suspend)", it -> submitKept(it));
    STATES.put("SUSPENDED", it -> submitKept(it).suspended("a"));
    STATES.put("DONE", it -> submitWithRoom(it).run().exit("a", 0));
    STATES.put("FAILED", it -> submitWithRoom(it).run().exit("a", 1));
    STATES.put("CANCELLED", it -> it.submit("q", "a").cancel("a"));
    STATES.put(
        "LOST", it -> submitWithRoom(it).run().decide(new Input.WorkerLost(it.attemptId("a"), 0)));
  }

  private static Driver submitWithRoom(Driver it) {
    return it.join(Driver.node("n", "pool", 1)).submit("q", "a");
  }

  /// Another takes its only place.
  private static Driver submitKept(Driver it) {
    it.join(Driver.node("n", "pool", 1));
    return it.submit(it.keeping("a", "kept")).run().submit("owner", "b");
  }

  private static Driver driver() {
    return new Driver(
        new TenantBuilder()
            .pool("pool")
            .profile("one", "1", "pool")
            .policy("team", "0", "4")
            .cancels("team")
            .policy("guest", "0", "4")
            .policy("owner", "4", "4")
            .queue("q", "team", "one", 1)
            .queue("kept", "guest", "one", 2)
            .queue("owner", "owner", "one", 3));
  }

  /// The job's last attempt; its first, where it never had one.
  private static AttemptId last(Driver it) {
    return new AttemptId(it.id("a"), Math.max(1, it.record("a").attempts()));
  }

  /// The states that the job goes through, or the refusal; `.`: the input changes nothing. A job
  /// that waits where there is room is assigned at once. Ended jobs are forgotten, so the core
  /// would take their ids again; the caller must not use them again ([Input.JobSubmitted]).
  private static final String MATRIX =
      """
      state     | DRAFT      | WAITING      | ASSIGNED         | RUNNING          | STOPPING (cancel) | STOPPING (requeue) | STOPPING (suspend) | SUSPENDED    | DONE             | FAILED           | CANCELLED  | LOST
      submit    | WAITING    | DuplicateJob | DuplicateJob     | DuplicateJob     | DuplicateJob      | DuplicateJob       | DuplicateJob       | DuplicateJob | WAITING ASSIGNED | WAITING ASSIGNED | WAITING    | WAITING ASSIGNED
      cancel    | CANCELLED  | CANCELLED    | STOPPING         | STOPPING         | .                 | .                  | .                  | STOPPING     | WrongState       | WrongState       | WrongState | WrongState
      requeue   | WAITING    | WrongState   | STOPPING         | STOPPING         | WrongState        | .                  | .                  | STOPPING     | WAITING ASSIGNED | WAITING ASSIGNED | WAITING    | WAITING ASSIGNED
      update    | WrongState | WAITING      | WrongState       | WrongState       | WrongState        | WrongState         | WrongState         | WrongState   | WrongState       | WrongState       | WrongState | WrongState
      withdraw  | .          | DRAFT        | .                | .                | .                 | .                  | .                  | .            | .                | .                | .          | .
      place     | .          | ASSIGNED     | .                | .                | .                 | .                  | .                  | .            | .                | .                | .          | .
      start     | .          | .            | RUNNING          | .                | .                 | .                  | .                  | .            | .                | .                | .          | .
      save      | .          | .            | .                | .                | .                 | .                  | .                  | .            | .                | .                | .          | .
      exit 0    | .          | .            | DONE             | DONE             | DONE              | DONE               | DONE ASSIGNED      | DONE         | .                | .                | .          | .
      exit 1    | .          | .            | FAILED           | FAILED           | FAILED            | FAILED             | WAITING ASSIGNED   | WAITING      | .                | .                | .          | .
      stopped   | .          | .            | WAITING ASSIGNED | WAITING ASSIGNED | CANCELLED         | WAITING ASSIGNED   | WAITING ASSIGNED   | WAITING      | .                | .                | .          | .
      suspended | .          | .            | .                | .                | .                 | .                  | SUSPENDED ASSIGNED | .            | .                | .                | .          | .
      reject    | .          | .            | WAITING          | WAITING          | CANCELLED         | WAITING            | WAITING ASSIGNED   | WAITING      | .                | .                | .          | .
      undeliver | .          | .            | WAITING ASSIGNED | WAITING ASSIGNED | CANCELLED         | WAITING ASSIGNED   | WAITING ASSIGNED   | WAITING      | .                | .                | .          | .
      lose      | .          | .            | LOST             | LOST             | CANCELLED         | WAITING ASSIGNED   | WAITING ASSIGNED   | WAITING      | .                | .                | .          | .
      clear     | .          | .            | .                | .                | .                 | .                  | .                  | .            | .                | .                | .          | .
      time      | .          | .            | .                | .                | .                 | .                  | .                  | .            | .                | .                | .          | .
      """;

  @Test
  void everyStateMeetsEverythingThatCanHappen() {
    List<String> lines = new ArrayList<>();
    lines.add("state | " + String.join(" | ", STATES.keySet()));
    Set<JobState> states = EnumSet.noneOf(JobState.class);
    INPUTS.forEach((input, make) -> {
      List<String> cells = new ArrayList<>();
      STATES.forEach((name, story) -> {
        Driver it = driver();
        story.accept(it);
        assertThat(name).startsWith(it.state("a").name());
        states.add(it.state("a"));
        it.forget().decide(make.apply(it));
        cells.add(outcome(it));
      });
      lines.add(input + " | " + String.join(" | ", cells));
    });
    assertThat(states).containsExactlyInAnyOrder(JobState.values());
    assertThat(String.join("\n", lines) + "\n").isEqualTo(MATRIX.replaceAll(" +", " "));
  }

  private static String outcome(Driver it) {
    List<String> steps = new ArrayList<>();
    it.refusals.forEach(refusal -> steps.add(refusal.denial().getClass().getSimpleName()));
    for (Effect effect : it.effects) {
      if (effect instanceof Effect.JobChanged(var job, var _, var _)) {
        steps.add(job.state().name());
      }
    }
    return steps.isEmpty() ? "." : String.join(" ", steps);
  }

  /// Where each event leads from each state; `.`: nowhere.
  private static final String LIFECYCLE =
      """
      state     | SUBMIT | WITHDRAW | ASSIGN   | RUN     | REJECT  | STOP     | SUSPEND   | RESUME   | SUCCEED | FAIL   | UPDATE  | REQUEUE | CANCEL    | LOSE
      DRAFT     | .      | .        | .        | .       | .       | .        | .         | .        | .       | .      | .       | WAITING | CANCELLED | .
      WAITING   | .      | DRAFT    | ASSIGNED | .       | .       | .        | .         | .        | .       | .      | WAITING | .       | CANCELLED | .
      ASSIGNED  | .      | .        | .        | RUNNING | WAITING | STOPPING | .         | .        | DONE    | FAILED | .       | WAITING | .         | LOST
      RUNNING   | .      | .        | .        | .       | .       | STOPPING | .         | .        | DONE    | FAILED | .       | WAITING | .         | LOST
      STOPPING  | .      | .        | .        | .       | .       | .        | SUSPENDED | .        | DONE    | FAILED | .       | WAITING | CANCELLED | LOST
      SUSPENDED | .      | .        | .        | .       | .       | STOPPING | .         | ASSIGNED | DONE    | .      | .       | WAITING | .         | .
      DONE      | .      | .        | .        | .       | .       | .        | .         | .        | .       | .      | .       | WAITING | .         | .
      FAILED    | .      | .        | .        | .       | .       | .        | .         | .        | .       | .      | .       | WAITING | .         | .
      CANCELLED | .      | .        | .        | .       | .       | .        | .         | .        | .       | .      | .       | WAITING | .         | .
      LOST      | .      | .        | .        | .       | .       | .        | .         | .        | .       | .      | .       | WAITING | .         | .
      """;

  @Test
  void everyStateAndEventAreListed() {
    List<String> lines = new ArrayList<>();
    List<String> events = new ArrayList<>();
    for (JobEvent event : JobEvent.values()) {
      events.add(event.name());
    }
    lines.add("state | " + String.join(" | ", events));
    for (JobState state : JobState.values()) {
      List<String> cells = new ArrayList<>();
      for (JobEvent event : JobEvent.values()) {
        cells.add(JobLifecycle.next(state, event).map(JobState::name).orElse("."));
      }
      lines.add(state + " | " + String.join(" | ", cells));
    }
    assertThat(String.join("\n", lines) + "\n").isEqualTo(LIFECYCLE.replaceAll(" +", " "));
  }

  /// The matrix has every input about jobs and workers that the sealed hierarchy permits.
  @Test
  void everyInputIsInTheMatrix() {
    Driver it = submitWithRoom(driver());
    Set<String> tried = new TreeSet<>();
    INPUTS.forEach((_, input) -> tried.add(input.apply(it).getClass().getSimpleName()));
    Set<String> all = new TreeSet<>();
    for (Class<?> kind : Input.class.getPermittedSubclasses()) {
      all.add(kind.getSimpleName());
    }
    // These are of the tenant and its machines.
    all.removeAll(Set.of("CatalogChanged", "NodeRemoved"));
    assertThat(tried).isEqualTo(all);
  }
}
