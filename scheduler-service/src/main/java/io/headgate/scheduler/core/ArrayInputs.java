package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.ArrayElement;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobArray;
import io.headgate.scheduler.core.job.JobEvent;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.queue.LiveJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Keeps arrays within the number of elements that may have an attempt at the same time, and ends
/// those whose elements have all ended.
final class ArrayInputs {
  private final World world;
  private final Transitions transitions;

  ArrayInputs(World world, Transitions transitions) {
    this.world = world;
    this.transitions = transitions;
  }

  /// Makes the next element of the array a job, which waits and is in no lane.
  static LiveJob begin(World world, Transitions transitions, LiveJob array, int number) {
    JobArray state = ArrayBook.stateOf(array);
    Job job =
        new Job(
            array.spec().with().id(state.idOf(array.id(), number)).build(),
            JobState.WAITING,
            state.sequenceOf(array.sequence(), number),
            array.submittedAt(),
            array.waitingSince(),
            0,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Gate.OPEN,
            Optional.of(new ArrayElement(array.id(), number)));
    LiveJob element = new LiveJob(job, array.queue());
    world.jobs.put(element.id(), element);
    world.arrays.add(element);
    world.arrays.set(array, state.begin(number));
    world.arrays.moved(element, Optional.empty(), JobState.WAITING);
    transitions.emit(new Effect.JobChanged(element.toJob(), Optional.empty(), JobEvent.SUBMIT));
    return element;
  }

  /// The array waits on after a start, or rests if it may not start another element now.
  static void waitOn(World world, Transitions transitions, LiveJob array) {
    array.setRests(ArrayBook.stateOf(array).isFull());
    transitions.enqueue(array);
    if (array.rests()) {
      transitions.emit(
          new Effect.JobReasonChanged(array.id(), Reasons.of(world, array).orElseThrow()));
    }
  }

  /// Takes a waiting job from its queue, which is gone or which its submitter may no longer use. An
  /// array with live elements follows when these have ended.
  static void withdraw(World world, Transitions transitions, LiveJob job) {
    if (hasLiveElements(world, job)) {
      close(world, job, JobEvent.WITHDRAW);
    } else {
      transitions.dequeue(job);
      transitions.move(job, JobEvent.WITHDRAW);
    }
  }

  /// Looks at the arrays that changed.
  ///
  /// @return the jobs that are candidates again
  List<LiveJob> settle() {
    List<LiveJob> opened = new ArrayList<>();
    for (ArrayBook.Members members = world.arrays.nextUnsettled();
        members != null;
        members = world.arrays.nextUnsettled()) {
      LiveJob array = members.array();
      if (array != null && ArrayBook.stateOf(array).isOver() && !members.hasElements()) {
        transitions.dequeue(array);
        transitions.move(array, ArrayBook.stateOf(array).outcome());
        transitions.forgetIfUnused(array.queue());
      } else {
        share(members, opened);
      }
    }
    return opened;
  }

  /// Finds which jobs of a loaded state rest.
  void load() {
    for (ArrayBook.Members members = world.arrays.nextUnsettled();
        members != null;
        members = world.arrays.nextUnsettled()) {
      share(members, new ArrayList<>());
    }
  }

  /// Lets as many elements be candidates as may have an attempt: first those that wait again, in
  /// the order of their numbers.
  private void share(ArrayBook.Members members, List<LiveJob> opened) {
    LiveJob array = members.array();
    int left = Integer.MAX_VALUE;
    boolean haveNone = false;
    if (array != null) {
      JobArray state = ArrayBook.stateOf(array);
      left = state.maxParallel() - state.tally().active();
      haveNone = state.tally().waiting() == 0;
    }
    if (!haveNone) {
      for (LiveJob element : members.elements()) {
        if (element.attempt() == null) {
          rest(element, left <= 0, opened);
          left--;
        }
      }
    }
    if (array != null) {
      rest(array, ArrayBook.stateOf(array).isOver() || left <= 0, opened);
    }
  }

  private void rest(LiveJob job, boolean rests, List<LiveJob> opened) {
    if (job.rests() == rests) {
      return;
    }
    transitions.dequeue(job);
    job.setRests(rests);
    transitions.enqueue(job);
    if (rests) {
      transitions.emit(new Effect.JobReasonChanged(job.id(), Reasons.of(world, job).orElseThrow()));
    } else if (!job.isBesideLane()) {
      opened.add(job);
    }
  }

  /// Whether the job is an array with elements that have not ended.
  static boolean hasLiveElements(World world, LiveJob job) {
    ArrayBook.Members members = job.array() == null ? null : world.arrays.of(job.id());
    return members != null && members.hasElements();
  }

  /// No more elements of the array start. The event happens to it when none is live any more.
  static void close(World world, LiveJob array, JobEvent event) {
    world.arrays.set(array, ArrayBook.stateOf(array).closing(Optional.of(event)));
  }

  /// The live elements of an array.
  static List<LiveJob> elements(World world, LiveJob array) {
    return Objects.requireNonNull(world.arrays.of(array.id())).elements();
  }

  /// Tells how arrays stand that changed.
  void tell() {
    for (LiveJob array : world.arrays.takeUntold()) {
      transitions.emit(new Effect.ArrayChanged(array.id(), ArrayBook.stateOf(array)));
    }
  }
}
