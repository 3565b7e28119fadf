package io.headgate.sdk.client;

import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobChange;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Keeps the present state of one job, from a watch that a virtual thread reads.
final class JobTracker implements AutoCloseable {
  private final List<JobWatcher> watchers = new CopyOnWriteArrayList<>();
  private final Consumer<Job> onChange;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Job latest;
  private @Nullable HeadgateException failure;

  /// Starts to follow.
  ///
  /// @param onChange called by the reading thread
  JobTracker(Job known, JobWatcher watcher, Consumer<Job> onChange) {
    this.latest = known;
    this.watchers.add(watcher);
    this.onChange = onChange;
    Thread.ofVirtual()
        .name("headgate-track-" + known.id())
        .start(() -> read(watcher, this::isNews, job -> job));
  }

  /// Looks at the job again when the array of the element has ended. An element that has never
  /// started is no part of any watch, and ends with its array.
  ///
  /// @param array id
  /// @param arrays a watch that reports the array
  void endWith(String array, JobWatcher arrays, Supplier<Job> again) {
    watchers.add(arrays);
    Thread.ofVirtual()
        .name("headgate-track-" + array)
        .start(() ->
            read(arrays, job -> job.id().equals(array) && job.state().isFinal(), _ -> again.get()));
  }

  private void read(JobWatcher watcher, Predicate<Job> isNews, UnaryOperator<Job> found) {
    try {
      for (JobChange change = watcher.next(); change != null; change = watcher.next()) {
        change.jobs().stream().filter(isNews).findFirst().map(found).ifPresent(this::update);
      }
    } catch (HeadgateException e) {
      signal(() -> failure = e);
    }
  }

  private boolean isNews(Job job) {
    lock.lock();
    try {
      return job.id().equals(latest.id())
          && (job.version() > latest.version()
              || (job.version() == latest.version() && isJudgedAnew(job)));
    } finally {
      lock.unlock();
    }
  }

  /// Whether the leader says something else of the unchanged job: what it only knows, and does not
  /// store, has no version.
  private boolean isJudgedAnew(Job job) {
    return !Objects.equals(job.reason(), latest.reason())
        || !Objects.equals(job.expectedStartTime(), latest.expectedStartTime())
        || job.position() != latest.position()
        || job.usageKind() != latest.usageKind()
        || !Objects.equals(job.arrayProgress(), latest.arrayProgress());
  }

  private void update(Job job) {
    onChange.accept(job);
    signal(() -> latest = job);
  }

  private void signal(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Waits until the job meets a condition; empty when it does not in time.
  ///
  /// @throws HeadgateException when the watch failed for good
  Optional<Job> await(Predicate<Job> condition, Duration timeout) {
    // Beyond 30 years the nanoseconds would overflow.
    long left = timeout.compareTo(Duration.ofDays(10_000)) > 0 ? Long.MAX_VALUE : timeout.toNanos();
    lock.lock();
    try {
      while (!condition.test(latest)) {
        if (failure != null) {
          throw failure;
        }
        if (left <= 0) {
          return Optional.empty();
        }
        left = changed.awaitNanos(left);
      }
      return Optional.of(latest);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    watchers.forEach(JobWatcher::close);
  }
}
