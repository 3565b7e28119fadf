package io.headgate.agent.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How long the logs and private directories of ended attempts are kept that the scheduler has
/// forgotten: a number of them, for a time, whichever ends first. Confined to the loop's thread.
final class Retention {
  private static final Logger LOG = LoggerFactory.getLogger(Retention.class);

  /// Looking at every directory for each forgotten attempt would cost more than the attempt.
  private static final int APPLY_EVERY = 64;

  private final Ledger ledger;
  private final InstantSource time;
  private final int maxAttempts;
  private final Duration maxAge;
  private int forgotten;

  Retention(Ledger ledger, InstantSource time, int maxAttempts, Duration maxAge) {
    this.ledger = ledger;
    this.time = time;
    this.maxAttempts = maxAttempts;
    this.maxAge = maxAge;
  }

  /// One attempt more was forgotten.
  void forgot() {
    forgotten++;
    if (forgotten % APPLY_EVERY == 0) {
      apply();
    }
  }

  /// Deletes what is beyond the limits. What cannot be deleted now is tried again the next time.
  void apply() {
    try {
      List<Path> kept = ledger.forgotten();
      Instant oldest = time.instant().minus(maxAge);
      for (int i = 0; i < kept.size(); i++) {
        Path directory = kept.get(i);
        if (kept.size() - i > maxAttempts || since(directory).isBefore(oldest)) {
          Trees.delete(directory);
        }
      }
    } catch (IOException e) {
      LOG.warn("cannot delete old attempts yet: {}", e.getMessage());
    }
  }

  private static Instant since(Path directory) throws IOException {
    try {
      return Files.getLastModifiedTime(directory.resolve("forgotten")).toInstant();
    } catch (NoSuchFileException _) {
      return Instant.MIN;
    }
  }
}
