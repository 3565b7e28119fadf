package io.headgate.agent.process;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Starts a program that this process may just have written. Another thread that starts a process
/// at that moment passes the open file on for some milliseconds, and until then the kernel refuses
/// to run it ("text file busy").
public final class FreshProgram {
  /// Where programs of the machine find others, whatever the agent's own environment says.
  public static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  private static final int TRIES = 500;
  private static final long PAUSE_MILLIS = 10;
  private static final String BUSY = "error: 26";

  private FreshProgram() {}

  /// Starts it, as soon as the kernel lets it run.
  public static Process start(ProcessBuilder builder) throws IOException, InterruptedException {
    for (int tried = 1; ; tried++) {
      try {
        return builder.start();
      } catch (IOException e) {
        if (tried == TRIES || !String.valueOf(e.getMessage()).contains(BUSY)) {
          throw e;
        }
        // Nothing tells when the other closes it.
        var _ = new CountDownLatch(1).await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
  }
}
