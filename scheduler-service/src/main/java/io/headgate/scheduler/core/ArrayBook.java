package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.ArrayElement;
import io.headgate.scheduler.core.job.JobArray;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.queue.LiveJob;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The arrays with their live elements. An element may outlive its array in the core: that ends, is
/// requeued, and is forgotten as other jobs.
final class ArrayBook {
  /// Only looked up in.
  private final Map<JobId, Members> arrays = new HashMap<>();

  /// The arrays that must be looked at, because they or elements of them changed.
  private final TreeSet<JobId> unsettled = new TreeSet<>(Comparator.comparingLong(JobId::value));

  /// The arrays that stand in another way than was told.
  private final TreeSet<JobId> untold = new TreeSet<>(Comparator.comparingLong(JobId::value));

  /// An array and its elements that wait again or have an attempt.
  static final class Members {
    private @Nullable LiveJob array;
    private final TreeMap<Integer, LiveJob> elements = new TreeMap<>();

    /// Null: it has ended, or is a draft.
    @Nullable LiveJob array() {
      return array;
    }

    /// By their numbers.
    List<LiveJob> elements() {
      return new ArrayList<>(elements.values());
    }

    boolean hasElements() {
      return !elements.isEmpty();
    }
  }

  /// The job is one of the core's from now on, or another object stands for it.
  void add(LiveJob job) {
    ArrayElement element = job.element();
    if (element != null) {
      members(element.array()).elements.put(element.number(), job);
      unsettled.add(element.array());
    } else if (job.array() != null) {
      members(job.id()).array = job;
      unsettled.add(job.id());
    }
  }

  private Members members(JobId array) {
    return arrays.computeIfAbsent(array, _ -> new Members());
  }

  /// The core forgets the job.
  void remove(LiveJob job) {
    ArrayElement element = job.element();
    JobId id = element != null ? element.array() : job.id();
    Members members = arrays.get(id);
    if (members == null) {
      return;
    }
    if (element != null) {
      members.elements.remove(element.number(), job);
      unsettled.add(id);
    } else {
      members.array = null;
      untold.remove(id);
    }
    if (members.array == null && members.elements.isEmpty()) {
      arrays.remove(id);
    }
  }

  /// The array and its live elements; null: neither is live.
  @Nullable Members of(JobId array) {
    return arrays.get(array);
  }

  /// The array that the element belongs to; null: it is none, or its array is not live.
  @Nullable LiveJob arrayOf(LiveJob job) {
    ArrayElement element = job.element();
    Members members = element == null ? null : arrays.get(element.array());
    return members == null ? null : members.array;
  }

  /// The job has gone from one state to another.
  ///
  /// @param from empty: it is new
  void moved(LiveJob job, Optional<JobState> from, JobState to) {
    LiveJob array = arrayOf(job);
    if (array != null) {
      set(array, stateOf(array).moved(from, to));
    }
  }

  /// The array stands in another way from now on.
  void set(LiveJob array, JobArray state) {
    array.setArray(state);
    unsettled.add(array.id());
    untold.add(array.id());
  }

  /// How the array stands.
  static JobArray stateOf(LiveJob array) {
    JobArray state = array.array();
    if (state == null) {
      throw new IllegalArgumentException("job " + array.id() + " is no array");
    }
    return state;
  }

  /// The next array that must be looked at; null: none.
  @Nullable Members nextUnsettled() {
    while (!unsettled.isEmpty()) {
      Members members = arrays.get(unsettled.pollFirst());
      if (members != null) {
        return members;
      }
    }
    return null;
  }

  /// The arrays that stand in another way than was told last. They count as told from now on.
  Collection<LiveJob> takeUntold() {
    List<LiveJob> changed = new ArrayList<>();
    for (JobId id : untold) {
      Members members = arrays.get(id);
      if (members != null && members.array != null) {
        changed.add(members.array);
      }
    }
    untold.clear();
    return changed;
  }
}
