package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.job.ArrayElement;
import io.headgate.scheduler.core.job.ArrayPart;
import io.headgate.scheduler.core.job.Dependency;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobArray;
import io.headgate.scheduler.core.job.JobEvent;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobLifecycle;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.job.StopOutcome;
import io.headgate.scheduler.core.queue.Lane;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// Applies what users ask for: submissions, cancellations, withdrawals, requeues.
///
/// A job that can never start as things are is not refused at once: a later input of the batch may
/// make it possible. [#retry] decides. Inputs about the job that follow meanwhile wait for that.
final class JobInputs {
  private final World world;
  private final Transitions transitions;
  private final Instant now;

  /// The impossible jobs of the batch.
  private final Map<JobId, Impossible> impossible = new LinkedHashMap<>();

  JobInputs(World world, Transitions transitions, Instant now) {
    this.world = world;
    this.transitions = transitions;
    this.now = now;
  }

  /// The reason to refuse such a job; empty: it may be queued.
  static Optional<Denial> denial(World world, JobSpec job) {
    return world.jobs.containsKey(job.id())
        ? Optional.of(new Denial.DuplicateJob(job.id()))
        : denialOf(world, job);
  }

  private static Optional<Denial> denialOf(World world, JobSpec job) {
    QueueState queue = world.knownQueue(job.queue());
    if (queue == null) {
      return Optional.of(new Denial.UnknownQueue(job.queue()));
    }
    Lane lane = world.changes.structureIsStale() ? null : queue.knownLane(job);
    return lane == null ? StructuralCheck.denial(world, queue, job) : lane.denial();
  }

  /// A job to be queued.
  ///
  /// @param before the record of a job that was submitted earlier; empty: it is new
  /// @param array the record of the array of an element, if that is not live
  private record Wish(
      JobSpec spec,
      Gate gate,
      Optional<ArrayPart> part,
      Optional<Job> before,
      Optional<Job> array) {
    static Wish again(Job record, Optional<ArrayPart> part, Optional<Job> array) {
      return new Wish(record.spec(), record.gate(), part, Optional.of(record), array);
    }

    Optional<JobArray> asArray() {
      return part.filter(JobArray.class::isInstance).map(JobArray.class::cast);
    }
  }

  /// A job that cannot be queued as things are.
  ///
  /// @param sequence its place, if it becomes possible
  /// @param later what the batch asks of the job afterwards
  private record Impossible(int input, Wish wish, long sequence, List<Runnable> later) {}

  void submit(int input, Input.JobSubmitted submitted) {
    JobSpec spec = submitted.job();
    if (isPostponed(spec.id(), () -> submit(input, submitted))) {
      return;
    }
    Wish wish =
        new Wish(
            spec,
            submitted.gate(),
            submitted.array().map(array -> array),
            Optional.empty(),
            Optional.empty());
    Optional<Denial> denial = denial(world, spec);
    if (denial.isEmpty()) {
      queue(wish, world.takePlace(wish.asArray()));
    } else if (denial.get() instanceof Denial.DuplicateJob) {
      transitions.refuse(input, spec.id(), denial.get());
    } else {
      postpone(input, wish);
    }
  }

  private void postpone(int input, Wish wish) {
    impossible.put(
        wish.spec().id(),
        new Impossible(input, wish, world.takePlace(wish.asArray()), new ArrayList<>()));
  }

  /// Keeps an input about an impossible job until that job's case is decided.
  private boolean isPostponed(JobId job, Runnable input) {
    Impossible first = impossible.get(job);
    return first != null && first.later().add(input);
  }

  /// Queues the impossible jobs that the rest of the batch made possible, each in its own place,
  /// and refuses the others.
  void retry() {
    while (!impossible.isEmpty()) {
      List<Impossible> jobs = List.copyOf(impossible.values());
      impossible.clear();
      for (Impossible job : jobs) {
        JobSpec spec = job.wish().spec();
        denial(world, spec)
            .ifPresentOrElse(
                denial -> transitions.refuse(job.input(), spec.id(), denial),
                () -> queue(job.wish(), job.sequence()));
        job.later().forEach(Runnable::run);
      }
      transitions.refusals().sort(Comparator.comparingInt(Decision.Refusal::input));
    }
  }

  /// Puts a job in its queue.
  private void queue(Wish wish, long sequence) {
    wish.array()
        .filter(array -> !world.jobs.containsKey(array.id()))
        .ifPresent(array ->
            queue(Wish.again(array, array.part(), Optional.empty()), world.takeSequence()));
    QueueState queue = world.queue(wish.spec().queue());
    Optional<Job> before = wish.before();
    // One queue id for all its jobs, however many.
    JobSpec own = wish.spec().with().queue(queue.id()).build();
    LiveJob job =
        new LiveJob(
            new Job(
                own,
                JobState.WAITING,
                sequence,
                now,
                now,
                before.map(Job::attempts).orElse(0),
                before.flatMap(Job::lastPreemption),
                Optional.empty(),
                Optional.empty(),
                wish.gate().isOpen(now) ? Gate.OPEN : wish.gate(),
                wish.part()),
            queue);
    world.jobs.put(job.id(), job);
    world.arrays.add(job);
    world.arrays.moved(job, before.map(Job::state), JobState.WAITING);
    job.setRests(wish.asArray().filter(JobArray::isFull).isPresent());
    world.gates.queuedAnew(job.id());
    transitions.enqueue(job);
    List<Gates.Ended> ended = endedAlready(job);
    if (before.isEmpty()) {
      ProfileId profile = queue.resolved().orElseThrow().profile().id();
      if (world.demand(profile.tenant()).ask(profile)) {
        world.expect(profile.tenant());
      }
    }
    transitions.emit(
        new Effect.JobChanged(
            job.toJob(),
            before.map(Job::state),
            before.isEmpty() ? JobEvent.SUBMIT : JobEvent.REQUEUE));
    ended.forEach(each -> world.gates.ended(each.job(), each.state()));
  }

  /// The jobs that it waits for and that ended earlier in the batch.
  private List<Gates.Ended> endedAlready(LiveJob job) {
    List<Gates.Ended> ended = new ArrayList<>();
    for (Dependency dependency : job.gate().after()) {
      JobState state = world.gates.endedNow(dependency.on());
      if (state != null) {
        ended.add(new Gates.Ended(dependency.on(), state));
      }
    }
    return ended;
  }

  /// Changes a waiting job. It keeps its place by O5; a new queue is checked as for a new job.
  void update(int input, JobSpec spec) {
    if (isPostponed(spec.id(), () -> update(input, spec))) {
      return;
    }
    LiveJob job = world.jobs.get(spec.id());
    if (job == null || job.state() != JobState.WAITING) {
      refuse(
          input, spec.id(), job == null ? forgottenState(spec.id()) : job.state(), JobEvent.UPDATE);
      return;
    }
    Optional<Denial> denial = denialOf(world, spec);
    if (denial.isPresent()) {
      transitions.refuse(input, spec.id(), denial.get());
      return;
    }
    transitions.dequeue(job);
    QueueState from = job.queue();
    LiveJob changed = job;
    if (from.id().equals(spec.queue())) {
      job.setSpec(spec.with().queue(from.id()).build());
    } else {
      QueueState queue = world.queue(spec.queue());
      changed = new LiveJob(job.toJob().withSpec(spec.with().queue(queue.id()).build()), queue);
      changed.waitsSince(now);
      changed.setRests(job.rests());
      world.jobs.put(changed.id(), changed);
      world.arrays.add(changed);
    }
    transitions.enqueue(changed);
    transitions.forgetIfUnused(from);
    transitions.emit(
        new Effect.JobChanged(changed.toJob(), Optional.of(JobState.WAITING), JobEvent.UPDATE));
  }

  /// The state of a job that this batch has taken from the core.
  private JobState forgottenState(JobId job) {
    return Objects.requireNonNullElse(world.gates.endedNow(job), JobState.DRAFT);
  }

  void cancel(int input, Job record) {
    if (isPostponed(record.id(), () -> cancel(input, record))) {
      return;
    }
    LiveJob job = world.jobs.get(record.id());
    if (job == null) {
      cancelForgotten(input, record);
      return;
    }
    if (ArrayInputs.hasLiveElements(world, job)) {
      ArrayInputs.close(world, job, JobEvent.CANCEL);
      ArrayInputs.elements(world, job).forEach(this::cancel);
    } else {
      cancel(job);
    }
  }

  private void cancel(LiveJob job) {
    LiveAttempt attempt = job.attempt();
    if (attempt == null) {
      transitions.dequeue(job);
      transitions.move(job, JobEvent.CANCEL);
      transitions.forgetIfUnused(job.queue());
      return;
    }
    StopOrder order = attempt.stop();
    if (order == null || leadsBack(order)) {
      transitions.stop(attempt, new StopOrder(new StopCause.Cancelled(), StopOutcome.CANCEL, now));
    }
  }

  private void cancelForgotten(int input, Job record) {
    if (record.state() == JobState.WAITING && mayBegin(record)) {
      // An element that ends before its start is a job only from now on.
      ArrayElement element = record.element().orElseThrow();
      LiveJob array = Objects.requireNonNull(world.jobs.get(element.array()));
      transitions.move(
          ArrayInputs.begin(world, transitions, array, element.number()), JobEvent.CANCEL);
      return;
    }
    if (record.state() != JobState.DRAFT) {
      refuse(input, record.id(), record.state(), JobEvent.CANCEL);
      return;
    }
    Job cancelled = record.withState(JobState.CANCELLED);
    world.gates.ended(record.id(), JobState.CANCELLED);
    transitions.emit(
        new Effect.JobChanged(cancelled, Optional.of(record.state()), JobEvent.CANCEL));
  }

  /// Whether it is an element that has not started, of an array that is live.
  private boolean mayBegin(Job record) {
    return record
        .element()
        .filter(element -> {
          LiveJob array = world.jobs.get(element.array());
          return array != null
              && array.array() != null
              && element.number() <= array.array().size()
              && !array.array().isBegun(element.number());
        })
        .isPresent();
  }

  void withdraw(JobId id) {
    if (isPostponed(id, () -> withdraw(id))) {
      return;
    }
    LiveJob job = world.jobs.get(id);
    if (job != null && job.state() == JobState.WAITING) {
      ArrayInputs.withdraw(world, transitions, job);
      transitions.forgetIfUnused(job.queue());
    }
  }

  void requeue(int input, Job record, Optional<Job> array) {
    if (isPostponed(record.id(), () -> requeue(input, record, array))) {
      return;
    }
    LiveJob job = world.jobs.get(record.id());
    if (job == null) {
      requeueForgotten(input, record, array);
      return;
    }
    LiveAttempt attempt = job.attempt();
    if (attempt == null) {
      refuse(input, job.id(), job.state(), JobEvent.REQUEUE);
    } else if (attempt.stop() == null || attempt.stop().outcome() == StopOutcome.SUSPEND) {
      transitions.stop(attempt, new StopOrder(new StopCause.Requeued(), StopOutcome.REQUEUE, now));
    } else if (attempt.stop().outcome() != StopOutcome.REQUEUE) {
      refuse(input, job.id(), job.state(), JobEvent.REQUEUE);
    }
  }

  /// Lets jobs go on whose pause after a rejection is over.
  ///
  /// @return these jobs; [#tellReasons] says why they wait once the pass has looked at them
  List<LiveJob> endPauses() {
    List<LiveJob> ended = new ArrayList<>();
    while (!world.backedOff.isEmpty()
        && !Objects.requireNonNull(world.backedOff.first().backOff()).until().isAfter(now)) {
      LiveJob job = world.backedOff.first();
      // It waits in its old place in its lane.
      transitions.dequeue(job);
      job.endPause();
      transitions.enqueue(job);
      ended.add(job);
    }
    return ended;
  }

  /// Replaces the reason of a pause that is over, if the job still waits.
  void tellReasons(List<LiveJob> ended) {
    for (LiveJob job : ended) {
      if (job.state() == JobState.WAITING) {
        Reasons.of(world, job)
            .ifPresent(reason -> transitions.emit(new Effect.JobReasonChanged(job.id(), reason)));
      }
    }
  }

  private static boolean leadsBack(StopOrder order) {
    return order.outcome() == StopOutcome.REQUEUE || order.outcome() == StopOutcome.SUSPEND;
  }

  private void requeueForgotten(int input, Job record, Optional<Job> array) {
    boolean hasNone = record.array().filter(known -> known.notStarted() == 0).isPresent();
    if (record.state() == JobState.WAITING
        || JobLifecycle.next(record.state(), JobEvent.REQUEUE).isEmpty()
        || record.state().hasAttempt()
        || hasNone) {
      refuse(input, record.id(), record.state(), JobEvent.REQUEUE);
      return;
    }
    // The request that ended the array no longer counts.
    Optional<ArrayPart> part =
        record
            .part()
            .map(each -> each instanceof JobArray known ? known.closing(Optional.empty()) : each);
    Wish wish = Wish.again(record, part, array);
    if (denial(world, record.spec()).isEmpty()) {
      queue(wish, world.takePlace(wish.asArray()));
    } else {
      postpone(input, wish);
    }
  }

  private void refuse(int input, JobId job, JobState state, JobEvent event) {
    transitions.refuse(input, job, new Denial.WrongState(job, state, event));
  }
}
