package io.headgate.deploy;

import io.headgate.scheduler.SchedulerMain;
import java.io.IOException;

/// A scheduler process that ends with its parent, even when the parent is killed: its standard
/// input is a pipe from the parent, which the kernel then closes.
public final class AttachedScheduler {
  private AttachedScheduler() {}

  public static void main(String[] arguments) throws InterruptedException {
    Thread.ofPlatform().name("parent").daemon().start(AttachedScheduler::endWithParent);
    SchedulerMain.main(arguments);
  }

  private static void endWithParent() {
    try {
      while (System.in.read() >= 0) {
        // The parent writes nothing to the pipe.
      }
    } catch (IOException e) {
      // The pipe is broken: the parent has ended.
    }
    // An orderly stop, as after a signal.
    System.exit(0);
  }
}
