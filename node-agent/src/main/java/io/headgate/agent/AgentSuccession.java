package io.headgate.agent;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The agent of a process, and the one that takes its place when it knows something that counts
/// from the start on only. No job notices.
final class AgentSuccession implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AgentSuccession.class);

  private final Supplier<NodeAgent> opening;
  private final Runnable failed;
  private final Runnable refused;
  private final Object lock = new Object();
  private @Nullable NodeAgent current; // guarded by lock
  private boolean closed; // guarded by lock

  /// @param failed called, on a thread of its own, once no agent is left that could continue
  /// @param refused called likewise once the installation has refused the machine for good
  AgentSuccession(Supplier<NodeAgent> opening, Runnable failed, Runnable refused) {
    this.opening = opening;
    this.failed = failed;
    this.refused = refused;
  }

  /// Opens and starts the first.
  void start() {
    synchronized (lock) {
      if (!closed) {
        current = next();
      }
    }
  }

  private NodeAgent next() {
    NodeAgent agent = opening.get();
    try {
      agent.start();
    } catch (RuntimeException | Error e) {
      agent.close();
      throw e;
    }
    // Not on the agent's own threads, whose end belongs to its stop.
    var _ = agent.failure().whenCompleteAsync((_, _) -> failed.run(), AgentSuccession::onThread);
    var _ = agent.refusal().thenRunAsync(refused, AgentSuccession::onThread);
    var _ = agent.renewal().thenRunAsync(this::renew, AgentSuccession::onThread);
    return agent;
  }

  private void renew() {
    try {
      synchronized (lock) {
        if (closed || current == null) {
          return;
        }
        LOG.info(
            "the pool wants MIG on, which only a starting agent turns on: restarting the agent");
        current.close();
        current = next();
      }
    } catch (RuntimeException | Error e) {
      LOG.error("the agent did not restart", e);
      failed.run();
    }
  }

  private static void onThread(Runnable task) {
    Thread.ofPlatform().name("succession").start(task);
  }

  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      if (current != null) {
        current.close();
      }
    }
  }
}
