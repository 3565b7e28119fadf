package io.headgate.agent.runtime.ledger;

import io.headgate.agent.process.DurableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.UUID;

/// The id under which this machine asks to join. It is on disk before the first attempt: an agent
/// that lost the answer then asks for the same key again. A second request would find its own name
/// taken. With the join token the id opens the key, so only its owner may read it.
public final class EnrolmentRequest {
  private static final String FILE = "enrolment-request";

  private EnrolmentRequest() {}

  /// The id kept in the data directory; a new one, which is kept from now on, if there is none.
  public static String of(Path data) throws IOException {
    Path file = data.resolve(FILE);
    try {
      return UUID.fromString(Files.readString(file, StandardCharsets.UTF_8).strip()).toString();
    } catch (NoSuchFileException | IllegalArgumentException _) {
      // A damaged one cannot be asked with; at worst the machine's old key must be revoked.
      String made = UUID.randomUUID().toString();
      DurableFile.replace(file, (made + "\n").getBytes(StandardCharsets.UTF_8));
      return made;
    }
  }

  /// Whether an earlier attempt has not been answered yet.
  public static boolean isKept(Path data) {
    return Files.exists(data.resolve(FILE));
  }

  /// Forgets the id when the answer is kept; a machine that joins anew asks anew.
  public static void forget(Path data) throws IOException {
    Files.deleteIfExists(data.resolve(FILE));
  }
}
