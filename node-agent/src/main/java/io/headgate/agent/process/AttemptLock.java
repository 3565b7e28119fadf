package io.headgate.agent.process;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The lock by which a supervisor owns its attempt for as long as it lives.
public final class AttemptLock {
  private AttemptLock() {}

  /// Whether a supervisor lives.
  ///
  /// Takes the lock for a moment if it is free. A supervisor that starts in that moment refuses to,
  /// so probing never leads to two of them, at worst to none, and then the launch is repeated.
  public static boolean isHeld(Path attempt) throws IOException {
    try (FileChannel channel =
        FileChannel.open(attempt.resolve("lock"), StandardOpenOption.WRITE)) {
      @Nullable FileLock lock = channel.tryLock();
      return lock == null;
    } catch (NoSuchFileException _) {
      return false;
    }
  }

  /// Makes the lock, if it is absent, of a supervisor that does not run as the agent's user. Where
  /// no process can remove the file, it stays the same lock for ever.
  public static void makeShared(Path attempt) throws IOException {
    DurableFile.makeShared(attempt.resolve("lock"));
  }

  /// An action that runs while no supervisor can start.
  @FunctionalInterface
  public interface Step {
    /// Does it and says whether it was done.
    boolean run() throws IOException;
  }

  /// Does something under the lock.
  ///
  /// @return false also when a supervisor holds it: then nothing was done
  public static boolean runIfFree(Path attempt, Step step) throws IOException {
    try (FileChannel channel =
            FileChannel.open(
                attempt.resolve("lock"),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                DurableFile.OWNER_ONLY_FILE);
        @Nullable FileLock lock = channel.tryLock()) {
      return lock != null && step.run();
    }
  }
}
