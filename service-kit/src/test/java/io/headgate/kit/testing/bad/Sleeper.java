package io.headgate.kit.testing.bad;

import java.util.concurrent.TimeUnit;

/// Sleeps.
public final class Sleeper {
  public void sleep() throws InterruptedException {
    TimeUnit.SECONDS.sleep(1);
  }
}
