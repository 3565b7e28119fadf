package io.headgate.scheduler.simulation;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// A scenario to simulate: a tenant with its machines and jobs at 0s, and later events.
///
/// Events name jobs, nodes and queues that exist; the builder of a scenario checks that.
///
/// @param catalog the provisioned configuration at 0s
/// @param nodes at 0s
/// @param running attempts at 0s
/// @param waiting jobs that wait at 0s, in order
/// @param events in time order; those of one instant are one batch
public record Scenario(
    Catalog catalog,
    List<Node> nodes,
    List<Running> running,
    List<Waiting> waiting,
    List<Event> events,
    Options options) {
  public Scenario {
    nodes = List.copyOf(nodes);
    running = List.copyOf(running);
    waiting = List.copyOf(waiting);
    events = List.copyOf(events);
    for (int i = 1; i < events.size(); i++) {
      if (events.get(i).at().compareTo(events.get(i - 1).at()) < 0) {
        throw new IllegalArgumentException("event " + i + " is out of time order");
      }
    }
  }

  /// A job and its behaviour.
  ///
  /// @param name unique in the scenario
  /// @param movable may be moved to make room (P11)
  /// @param maxRuntime run time after which it is stopped
  /// @param duration of its work; absent: it runs until it is cancelled
  /// @param checkpoint time between saves of its work; absent: a preempted job starts anew
  public record JobPlan(
      String name,
      QueueId queue,
      UserId user,
      int priority,
      Optional<Boolean> preemptible,
      boolean movable,
      Optional<Duration> maxRuntime,
      Optional<Duration> duration,
      Optional<Duration> checkpoint) {
    public JobPlan {
      if (checkpoint.isPresent() && !checkpoint.get().isPositive()) {
        throw new IllegalArgumentException("job " + name + ": checkpoint " + checkpoint.get());
      }
    }

    JobPlan named(String newName) {
      return new JobPlan(
          newName, queue, user, priority, preemptible, movable, maxRuntime, duration, checkpoint);
    }

    /// The jobs that this plan stands for: itself, or `name-0`, `name-1` and so on.
    ///
    /// @param count at least 1
    String nameOf(int index, int count) {
      return count == 1 ? name : name + "-" + index;
    }
  }

  /// A job that runs at 0s.
  ///
  /// @param attempt number of the attempt that runs
  /// @param startedAgo run time at 0s
  public record Running(JobPlan job, int attempt, Assignment place, Duration startedAgo) {}

  /// Jobs that wait at 0s.
  ///
  /// @param waitedSince waiting time at 0s
  public record Waiting(JobPlan job, int count, Duration waitedSince) {}

  /// An action at a time.
  public record Event(Duration at, Action action) {}

  /// The kinds of events.
  public sealed interface Action {
    /// Jobs are submitted.
    record Submit(JobPlan job, int count) implements Action {}

    /// A user cancels a job. A job that has ended stays as it is.
    record Cancel(String job) implements Action {}

    /// A machine fails. Its attempts are gone at once, and the scheduler knows it.
    record NodeDown(NodeId node) implements Action {}

    /// A failed node is back, without attempts.
    record NodeUp(NodeId node) implements Action {}

    /// The job's submitter loses the right to its queue.
    record Withdraw(String job) implements Action {}

    /// The submitter of a running job lost the right to its queue: it runs on, and does not wait
    /// again when its attempt is stopped.
    record Bar(String job) implements Action {}

    /// The tenant's configuration is replaced.
    record Provision(Catalog catalog) implements Action {}
  }

  /// The behaviour of the simulated world, and its end.
  ///
  /// @param stopTime from the request to stop to freed slices
  /// @param provisionTime from the request for an instance to a node that takes work
  /// @param until absent: until nothing can happen any more
  public record Options(Duration stopTime, Duration provisionTime, Optional<Duration> until) {
    /// The usual start time of a provider's machine.
    public static final Duration DEFAULT_PROVISION_TIME = Duration.ofMinutes(2);
  }
}
