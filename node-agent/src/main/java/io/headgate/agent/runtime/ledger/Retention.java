package io.headgate.agent.runtime.ledger;

import io.headgate.agent.process.Trees;
import io.headgate.kit.time.TimeSource;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Bounds the logs and work directories of ended attempts that the scheduler has forgotten.
///
/// The bounds are a number of attempts, an age and a number of bytes; the first that is reached
/// counts. The attempts forgotten first go first. A job's checkpoints stay, because the job may
/// resume.
///
/// Deletes on a thread of its own, because a job may have left millions of files.
public final class Retention {
  private static final Logger LOG = LoggerFactory.getLogger(Retention.class);

  /// Looking at every directory for each forgotten attempt would cost more than the attempt.
  private static final int APPLY_EVERY = 64;

  private static final Duration APPLY_AFTER = Duration.ofHours(1);

  /// The divisor of the file system's size that gives the default bound in bytes.
  private static final int DEFAULT_SHARE = 10;

  private final AttemptLedger ledger;
  private final TimeSource time;
  private final Limits limits;
  private final AtomicBoolean applying = new AtomicBoolean();
  private int forgotten; // the loop's thread only
  private long appliedNanos; // the loop's thread only

  /// Upper limits of the kept files.
  ///
  /// @param maxBytes of all attempts together; absent: a tenth of the file system
  public record Limits(int maxAttempts, Duration maxAge, Optional<Long> maxBytes) {}

  public Retention(AttemptLedger ledger, TimeSource time, Limits limits) {
    this.ledger = ledger;
    this.time = time;
    this.limits = limits;
  }

  /// One attempt more was forgotten.
  public void forgot() {
    forgotten++;
    if (forgotten >= APPLY_EVERY || time.monotonicNanos() - appliedNanos > APPLY_AFTER.toNanos()) {
      begin();
    }
  }

  /// Begins to delete attempts beyond the limits.
  public void begin() {
    forgotten = 0;
    appliedNanos = time.monotonicNanos();
    if (applying.compareAndSet(false, true)) {
      Thread.ofVirtual()
          .name("retention")
          .start(() -> {
            try {
              apply();
            } finally {
              applying.set(false);
            }
          });
    }
  }

  /// Deletes attempts beyond the limits. One that cannot be deleted is tried again next time and
  /// does not keep the others.
  void apply() {
    List<Path> newestFirst;
    long room;
    try {
      newestFirst = ledger.forgotten().reversed();
      room = maxBytes();
    } catch (IOException | DirectoryIteratorException e) {
      LOG.warn("old attempts cannot be listed yet: {}", e.toString());
      return;
    }
    Instant oldest = time.instant().minus(limits.maxAge());
    for (int i = 0; i < newestFirst.size(); i++) {
      Path directory = newestFirst.get(i);
      try {
        boolean goes = room < 0 || i >= limits.maxAttempts() || since(directory).isBefore(oldest);
        if (!goes) {
          room -= Trees.bytes(directory);
        }
        if (goes || room < 0) {
          Trees.delete(directory);
        }
      } catch (IOException e) {
        LOG.warn("an old attempt cannot be deleted yet: {}", e.toString());
      }
    }
  }

  private long maxBytes() throws IOException {
    return limits.maxBytes().isPresent()
        ? limits.maxBytes().get()
        : Files.getFileStore(ledger.attempts()).getTotalSpace() / DEFAULT_SHARE;
  }

  private static Instant since(Path directory) throws IOException {
    try {
      return Files.getLastModifiedTime(directory.resolve("forgotten")).toInstant();
    } catch (NoSuchFileException _) {
      return Instant.MIN;
    }
  }
}
