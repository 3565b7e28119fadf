package io.headgate.kit.testing.bad.core;

import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A core class that counts across threads, logs and reads the environment.
public final class ImpureDecision {
  private static final Logger LOG = LoggerFactory.getLogger(ImpureDecision.class);
  private final AtomicInteger decisions = new AtomicInteger();

  public int decide() {
    LOG.info("deciding for {}", System.getenv("USER"));
    return decisions.incrementAndGet();
  }
}
