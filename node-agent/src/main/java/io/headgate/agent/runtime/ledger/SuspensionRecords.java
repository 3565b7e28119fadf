package io.headgate.agent.runtime.ledger;

import io.headgate.agent.core.AttemptKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The [AttemptLedger]'s records of suspensions. They name the processes to resume after a crash,
/// the order by which an attempt is suspended, and the order by which a suspension failed.
public final class SuspensionRecords {
  private static final String SUSPENDING = "suspending";
  private static final String NOT_SUSPENDED = "not-suspended";
  private static final String SUSPENDED = "suspended";

  private final RecordFiles files;
  private final Path attempts;

  /// @param attempts where the directories of the attempts are
  SuspensionRecords(RecordFiles files, Path attempts) {
    this.files = files;
    this.attempts = attempts;
  }

  /// Some of these processes may be unable to use their devices until the agent has attended to
  /// them.
  public void recordSuspending(AttemptKey key, List<Long> pids) throws IOException {
    Fields fields = new Fields();
    pids.forEach(pid -> fields.put("pid", pid));
    files.write(file(key, SUSPENDING), fields);
    Failpoint.AFTER_SUSPENDING_RECORD.reach();
  }

  /// The recorded processes; empty: none must be resumed.
  public Optional<List<Long>> suspending(AttemptKey key) throws IOException {
    return RecordFiles.read(file(key, SUSPENDING))
        .map(fields -> fields.all("pid").stream().map(Long::parseLong).toList());
  }

  /// All of them can use their devices again.
  public void recordGoingOn(AttemptKey key) throws IOException {
    Files.deleteIfExists(file(key, SUSPENDING));
  }

  /// The attempt could not be suspended, and is stopped.
  public void recordNotSuspended(AttemptKey key, long suspension) throws IOException {
    files.write(file(key, NOT_SUSPENDED), new Fields().put("order", suspension));
  }

  /// Whether it could not be suspended by that order.
  public boolean isNotSuspended(AttemptKey key, long suspension) throws IOException {
    return order(file(key, NOT_SUSPENDED)) == suspension;
  }

  /// The attempt is suspended by that order.
  void record(AttemptKey key, long suspension) throws IOException {
    files.write(file(key, SUSPENDED), new Fields().put("order", suspension));
  }

  /// The attempt is not suspended any more.
  void remove(AttemptKey key) throws IOException {
    Files.deleteIfExists(file(key, SUSPENDED));
  }

  /// The order by which the attempt is suspended; 0: it is not.
  public long order(AttemptKey key) throws IOException {
    return order(file(key, SUSPENDED));
  }

  private static long order(Path file) throws IOException {
    return RecordFiles.read(file).map(fields -> fields.number("order")).orElse(0L);
  }

  private Path file(AttemptKey key, String name) {
    return attempts.resolve(key.directoryName()).resolve(name);
  }
}
