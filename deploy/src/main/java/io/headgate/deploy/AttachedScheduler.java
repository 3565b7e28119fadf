package io.headgate.deploy;

import io.headgate.scheduler.SchedulerMain;
import java.io.IOException;

/// A scheduler process that ends with the one that started it, however that ends: its standard
/// input is a pipe from there, which the kernel closes.
public final class AttachedScheduler {
  private AttachedScheduler() {}

  public static void main(String[] arguments) throws InterruptedException {
    Thread.ofPlatform().name("parent").daemon().start(AttachedScheduler::endWithParent);
    SchedulerMain.main(arguments);
  }

  private static void endWithParent() {
    try {
      while (System.in.read() >= 0) {
        // Nothing is said there.
      }
    } catch (IOException e) {
      // The parent is gone, too.
    }
    // In order, as by a signal.
    System.exit(0);
  }
}
