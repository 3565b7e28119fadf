package io.headgate.agent.runtime.ledger;

import io.headgate.agent.process.DurableFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;

/// Files of one record each.
///
/// @param reserve the space reserved for them
record RecordFiles(DiskReserve reserve) {
  /// Writes durably, if need be on the space that is set aside for a full disk.
  void write(Path file, Fields fields) throws IOException {
    byte[] bytes = fields.toLines().getBytes(StandardCharsets.UTF_8);
    reserve.write(() -> DurableFile.replace(file, bytes));
  }

  static Optional<Fields> read(Path file) throws IOException {
    try {
      String text = Files.readString(file, StandardCharsets.UTF_8);
      return Optional.of(decode(file, () -> Fields.ofLines(text)));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
  }

  /// A record that is not understood stops the agent: to skip it could mean to run something twice.
  static <T> T decode(Path where, Supplier<T> decoder) {
    try {
      return decoder.get();
    } catch (Fields.DamagedException | IllegalArgumentException e) {
      throw new UncheckedIOException(
          new IOException(
              "the record in "
                  + where
                  + " is not understood: "
                  + e.getMessage()
                  + "; restore it, or move the directory away if nothing of it runs any more"));
    }
  }
}
