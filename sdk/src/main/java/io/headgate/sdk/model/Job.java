package io.headgate.sdk.model;

import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A submitted job and its state.
///
/// @param tenant id of its tenant
/// @param id unique in the tenant
/// @param gpus need of all its workers together
/// @param attempt number of the current or last attempt; 0: never started
/// @param attempts oldest first; lists contain only the current one
/// @param reason why the job waits, or the user that cancelled it and why; null: neither
/// @param position place in its queue, from 1; 0: not waiting
/// @param expectedStartTime null: no honest estimate
/// @param exitCode of the last attempt: 0 to 255, or 128 + signal; null: none yet
/// @param version version of the watch at which the job last changed
/// @param arrayProgress how the elements of an array stand; null: it is no array
/// @param element which element of an array it is; null: none
public record Job(
    String tenant,
    String id,
    JobSpec spec,
    JobState state,
    String user,
    String policy,
    String profile,
    GpuQuantity gpus,
    int workers,
    int attempt,
    List<Attempt> attempts,
    @Nullable Reason reason,
    int position,
    @Nullable Instant expectedStartTime,
    @Nullable Instant createTime,
    @Nullable Instant startTime,
    @Nullable Instant finishTime,
    @Nullable Integer exitCode,
    UsageKind usageKind,
    boolean simulated,
    long version,
    @Nullable ArrayProgress arrayProgress,
    @Nullable Element element) {
  public Job {
    attempts = List.copyOf(attempts);
  }

  /// The attempt that runs, or ran last.
  public Optional<Attempt> currentAttempt() {
    return attempts.isEmpty() ? Optional.empty() : Optional.of(attempts.getLast());
  }

  /// How many elements of an array stand in each way.
  ///
  /// @param notStarted have never started, and wait with their array
  /// @param waiting have started, and wait again
  /// @param active have an attempt
  /// @param done ended with exit code 0
  /// @param failed failed, or were lost
  /// @param cancelled are cancelled, or drafts
  public record ArrayProgress(
      int notStarted, int waiting, int active, int done, int failed, int cancelled) {
    /// Number of all elements.
    public int size() {
      return notStarted + waiting + active + done + failed + cancelled;
    }

    /// Number of elements that have ended.
    public int ended() {
      return done + failed + cancelled;
    }
  }

  /// The place of an element.
  ///
  /// @param array id of its array
  /// @param number from 1 to the size of the array
  public record Element(String array, int number) {}
}
