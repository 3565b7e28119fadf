package io.headgate.policy.runtime;

import io.headgate.kit.auth.Revocations;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the revocations of this process equal to the stored ones. A revocation by this process is
/// known to it before its answer is sent. Revocations by other instances come with their
/// notification, or a second later if it was lost. Thread-safe.
public final class OwnRevocations implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OwnRevocations.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration STOP_BOUND = Duration.ofSeconds(5);

  private final Changes changes;
  private final Revocations revocations;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread = Thread.ofVirtual().name("revocations").unstarted(this::run);
  private boolean failing;

  public OwnRevocations(Changes changes, Revocations revocations) {
    this.changes = changes;
    this.revocations = revocations;
  }

  public void start() {
    thread.start();
  }

  /// Reads what is new. A failure is logged; the next reading catches up.
  public synchronized void refresh() {
    try {
      revocations.apply(changes.read(tables -> tables.revocations().since(revocations.position())));
      failing = false;
    } catch (RuntimeException e) {
      if (!failing && closing.getCount() > 0) {
        failing = true;
        LOG.warn("revocations cannot be read; trying again every second: {}", e.toString());
      }
    }
  }

  private void run() {
    try {
      do {
        refresh();
      } while (!closing.await(INTERVAL.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closing.countDown();
    if (thread.getState() == Thread.State.NEW) {
      return;
    }
    thread.interrupt();
    try {
      thread.join(STOP_BOUND);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
