package io.headgate.agent.runtime.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// Space that is set aside for the agent's own records on a full disk.
///
/// Given back in small portions, each just before a record is tried again: jobs that fill the disk
/// take whatever becomes free. Thread-safe.
final class DiskReserve {
  static final int BYTES = 1 << 20;
  private static final int PORTION_BYTES = 64 << 10;

  private final Path file;
  private final Object lock = new Object();
  private boolean whole; // guarded by lock

  /// Something durable to write; done again from its beginning after it failed.
  @FunctionalInterface
  interface Step {
    void run() throws IOException;
  }

  DiskReserve(Path file) {
    this.file = file;
    refill();
  }

  /// Writes, on the reserved space if necessary.
  void write(Step step) throws IOException {
    while (true) {
      try {
        step.run();
        return;
      } catch (IOException e) {
        if (!release()) {
          throw e;
        }
      }
    }
  }

  /// Reserves the released space again, as far as the disk has it.
  void refill() {
    synchronized (lock) {
      if (whole) {
        return;
      }
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        channel.position(channel.size());
        ByteBuffer missing = ByteBuffer.allocate((int) Math.max(0, BYTES - channel.size()));
        while (missing.hasRemaining()) {
          channel.write(missing);
        }
        whole = true;
      } catch (IOException _) {
        // The disk is full already; the reserve keeps its present size.
      }
    }
  }

  private boolean release() throws IOException {
    synchronized (lock) {
      if (!Files.exists(file)) {
        return false;
      }
      whole = false;
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        long left = channel.size();
        channel.truncate(Math.max(0, left - PORTION_BYTES));
        return left > 0;
      }
    }
  }
}
