package io.headgate.agent.runtime.watch;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.JobProgress;
import io.headgate.agent.process.BootClock;
import io.headgate.agent.process.ProgressFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads the progress that programs report every few seconds, and once more when they have ended.
/// That bounds the reports, however often a program writes. Nothing is recorded, because the files
/// are still there for the next agent. Thread-safe.
public final class ProgressWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ProgressWatch.class);
  private static final Duration INTERVAL = Duration.ofSeconds(5);

  /// Last words that may not have been told yet.
  private static final int MAX_ENDED = 256;

  private final ReentrantLock lock = new ReentrantLock();
  private final PeriodicTask looks = new PeriodicTask();
  // Guarded by lock.
  private final Map<AttemptKey, Path> followed = new HashMap<>();
  private final Map<AttemptKey, JobProgress> said = new LinkedHashMap<>();

  public void start() {
    looks.start("progress", INTERVAL, this::look);
  }

  /// Begins to read the attempt's progress files.
  ///
  /// @param directory of the attempt
  public void follow(AttemptKey key, Path directory) {
    lock.lock();
    try {
      followed.put(key, directory);
    } finally {
      lock.unlock();
    }
  }

  /// None of its processes runs any more: the present files are its last report.
  public void ended(AttemptKey key) {
    @Nullable Path directory = directory(key);
    if (directory == null) {
      return;
    }
    look(key, directory);
    lock.lock();
    try {
      followed.remove(key);
      @Nullable JobProgress last = said.remove(key);
      if (last != null) {
        said.put(key, last.asLast());
        forgetSome();
      }
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Path directory(AttemptKey key) {
    lock.lock();
    try {
      return followed.get(key);
    } finally {
      lock.unlock();
    }
  }

  /// The last word of every attempt that has said something, and of some that have ended.
  public List<JobProgress> all() {
    lock.lock();
    try {
      return List.copyOf(said.values());
    } finally {
      lock.unlock();
    }
  }

  private void forgetSome() {
    List<AttemptKey> over =
        said.values().stream().filter(JobProgress::isLast).map(JobProgress::key).toList();
    over.stream().limit(Math.max(0, over.size() - MAX_ENDED)).forEach(said::remove);
  }

  /// Looks at all that are followed.
  void look() {
    Map<AttemptKey, Path> now;
    lock.lock();
    try {
      now = Map.copyOf(followed);
    } finally {
      lock.unlock();
    }
    now.forEach(this::look);
  }

  private void look(AttemptKey key, Path directory) {
    JobProgress.Said now;
    try {
      now = ProgressFiles.read(directory);
    } catch (IOException | RuntimeException e) {
      LOG.debug("the progress of {} cannot be read", key, e);
      return;
    }
    lock.lock();
    try {
      if (followed.containsKey(key)) {
        JobProgress next =
            said.getOrDefault(key, JobProgress.none(key)).with(now, BootClock.nowMs());
        if (next.isSomething()) {
          said.put(key, next);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    looks.close();
  }
}
