package io.headgate.agent.runtime.ledger;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.process.DurableFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The [AttemptLedger]'s records of output that was sent, one file an attempt. They are not forced
/// to the disk: after a failure of the machine some lines are sent twice.
public final class OutputRecords {
  private static final String OUTPUT_SENT = "output-sent";

  private final Path attempts;

  /// @param attempts where the directories of the attempts are
  OutputRecords(Path attempts) {
    this.attempts = attempts;
  }

  /// Replaces the record of the attempt, whose directory must be there.
  public void write(SentOutput sent) throws IOException {
    Fields fields =
        Records.putKey(new Fields(), sent.key())
            .put("queue", sent.queue())
            .put("traceparent", sent.traceparent())
            .put("stdout", sent.stdout())
            .put("stderr", sent.stderr())
            .put("done", sent.done());
    DurableFile.replaceVolatile(
        attempts.resolve(sent.key().directoryName()).resolve(OUTPUT_SENT),
        fields.toLines().getBytes(StandardCharsets.UTF_8));
  }

  /// The record of the attempt; empty: nothing was sent, or the record is damaged.
  public Optional<SentOutput> read(AttemptKey key) {
    return read(attempts.resolve(key.directoryName()));
  }

  /// All attempts whose output was not sent as a whole.
  public List<SentOutput> unfinished() throws IOException {
    List<SentOutput> found = new ArrayList<>();
    try (DirectoryStream<Path> directories = Files.newDirectoryStream(attempts)) {
      for (Path directory : directories) {
        read(directory).filter(sent -> !sent.done()).ifPresent(found::add);
      }
    }
    return found;
  }

  private static Optional<SentOutput> read(Path directory) {
    Path file = directory.resolve(OUTPUT_SENT);
    try {
      return RecordFiles.read(file)
          .map(fields -> RecordFiles.decode(file, () -> sent(fields)))
          .filter(sent -> directory.endsWith(sent.key().directoryName()));
    } catch (IOException | UncheckedIOException _) {
      // Sent again from the beginning; nothing of the attempt depends on it.
      return Optional.empty();
    }
  }

  private static SentOutput sent(Fields fields) {
    return new SentOutput(
        Records.key(fields),
        fields.require("queue"),
        fields.require("traceparent"),
        fields.number("stdout"),
        fields.number("stderr"),
        fields.require("done").equals("true"));
  }
}
