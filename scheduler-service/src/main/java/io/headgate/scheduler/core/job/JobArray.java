package io.headgate.scheduler.core.job;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/// An array: many equal jobs, its elements, that wait as one job. An element becomes a job of its
/// own when it starts. Until then it is no more than a number in here.
///
/// The ids of the elements are the numbers just below the array's own id, which the array reserves.
/// So are their places in the order of O5: an element that waits again goes before those that have
/// not started.
///
/// @param size how many elements there are
/// @param maxParallel how many of them may have an attempt at the same time, 1 to size
/// @param next the lowest number that has not started; size + 1: none
/// @param early numbers above `next` that are jobs already, because they were cancelled; in order
/// @param tally how the elements stand that are jobs
/// @param closing what happens to the array once no element is live, and no more elements start;
///   absent: they do
public record JobArray(
    int size,
    int maxParallel,
    int next,
    List<Integer> early,
    Tally tally,
    Optional<JobEvent> closing)
    implements ArrayPart {
  /// The largest size.
  public static final int MAX_SIZE = 100_000;

  public JobArray {
    early = List.copyOf(early);
    if (size < 1 || maxParallel < 1 || next < 1 || next > size + 1) {
      throw new IllegalArgumentException(
          "an array of size %d, maxParallel %d, next %d".formatted(size, maxParallel, next));
    }
  }

  /// How many elements stand in each way, of those that are jobs.
  ///
  /// @param waiting again, after an attempt or a request
  /// @param active with an attempt
  /// @param failed or lost
  /// @param cancelled or drafts
  public record Tally(int waiting, int active, int done, int failed, int cancelled) {
    /// No element is a job yet.
    public static final Tally NONE = new Tally(0, 0, 0, 0, 0);

    /// Elements that are jobs.
    public int begun() {
      return live() + done + failed + cancelled;
    }

    /// Elements that wait again or have an attempt.
    public int live() {
      return waiting + active;
    }

    /// With one element more or less in the state.
    private Tally with(JobState state, int change) {
      return switch (state) {
        case WAITING -> new Tally(waiting + change, active, done, failed, cancelled);
        case ASSIGNED, RUNNING, STOPPING, SUSPENDED ->
            new Tally(waiting, active + change, done, failed, cancelled);
        case DONE -> new Tally(waiting, active, done + change, failed, cancelled);
        case FAILED, LOST -> new Tally(waiting, active, done, failed + change, cancelled);
        case CANCELLED, DRAFT -> new Tally(waiting, active, done, failed, cancelled + change);
      };
    }
  }

  /// An array of which nothing has started.
  ///
  /// @param maxParallel 0: all
  public static JobArray of(int size, int maxParallel) {
    return new JobArray(
        size,
        maxParallel == 0 ? size : Math.min(size, maxParallel),
        1,
        List.of(),
        Tally.NONE,
        Optional.empty());
  }

  /// Elements that have not started, nor were cancelled before.
  public int notStarted() {
    return size - tally.begun();
  }

  /// Elements that may start now, if there is room for them.
  public int startable() {
    return isOver() ? 0 : Math.min(notStarted(), maxParallel - Math.min(maxParallel, tally.live()));
  }

  /// Whether all elements are jobs.
  public boolean haveAllStarted() {
    return next > size;
  }

  /// Whether no other element may start now. Elements that wait again go first.
  public boolean isFull() {
    return isOver() || tally.live() >= maxParallel;
  }

  /// Whether no more elements start.
  public boolean isOver() {
    return haveAllStarted() || closing.isPresent();
  }

  /// Whether the element is a job.
  public boolean isBegun(int number) {
    return number < next || Collections.binarySearch(early, number) >= 0;
  }

  /// Id of the element.
  ///
  /// @param self id of the array
  public JobId idOf(JobId self, int number) {
    return new JobId(self.value() - size + number - 1);
  }

  /// The place of the element by O5.
  ///
  /// @param sequence of the array
  public long sequenceOf(long sequence, int number) {
    return sequence - size + number - 1;
  }

  /// The element is a job from now on.
  public JobArray begin(int number) {
    List<Integer> left = new ArrayList<>(early);
    if (number != next) {
      left.add(-Collections.binarySearch(left, number) - 1, number);
      return new JobArray(size, maxParallel, next, left, tally, closing);
    }
    int following = number + 1;
    while (!left.isEmpty() && left.getFirst() == following) {
      left.removeFirst();
      following++;
    }
    return new JobArray(size, maxParallel, following, left, tally, closing);
  }

  /// An element has gone from one state to another.
  ///
  /// @param from absent: it has become a job
  public JobArray moved(Optional<JobState> from, JobState to) {
    Tally before = from.isPresent() ? tally.with(from.get(), -1) : tally;
    return new JobArray(size, maxParallel, next, early, before.with(to, 1), closing);
  }

  /// No more elements start; once none is live, the event happens to the array.
  public JobArray closing(Optional<JobEvent> event) {
    return new JobArray(size, maxParallel, next, early, tally, event);
  }

  /// The event of the array now that no element is live and none will start.
  public JobEvent outcome() {
    if (closing.isPresent()) {
      return closing.get();
    }
    if (tally.failed > 0) {
      return JobEvent.FAIL;
    }
    return tally.cancelled > 0 ? JobEvent.CANCEL : JobEvent.SUCCEED;
  }
}
