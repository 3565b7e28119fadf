package io.headgate.agent.grpc;

import io.grpc.ManagedChannel;
import io.headgate.agent.core.Leadership;
import io.headgate.agent.process.BootClock;
import io.headgate.agent.runtime.Agent;
import io.headgate.agent.runtime.ControlPlane;
import io.headgate.kit.client.Channels;
import io.headgate.kit.time.TimeSource;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/// Keeps a session with the leading scheduler: tries the known addresses in turn, goes where it is
/// sent, and comes back after every loss with growing, jittered waits.
public final class SchedulerClient implements ControlPlane, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SchedulerClient.class);

  /// How a session is opened.
  ///
  /// @param schedulers addresses of the replicas
  /// @param channels opens a channel with the node's token
  /// @param rejectedToken told when a token was refused
  public record Wiring(
      List<URI> schedulers, Function<URI, ManagedChannel> channels, Runnable rejectedToken) {
    public Wiring {
      schedulers = List.copyOf(schedulers);
      if (schedulers.isEmpty()) {
        throw new IllegalArgumentException("no scheduler's address is configured");
      }
    }
  }

  private final Agent agent;
  private final SchedulerSession.Self self;
  private final Wiring wiring;
  private final SchedulerRotation rota;
  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private @Nullable SchedulerSession session; // guarded by lock
  private boolean closed; // guarded by lock
  private @Nullable Thread thread; // guarded by lock
  private boolean silent; // the client's own thread only

  SchedulerClient(
      Agent agent,
      SchedulerSession.Self self,
      Wiring wiring,
      RandomGenerator random,
      TimeSource time) {
    this.agent = agent;
    this.self = self;
    this.wiring = wiring;
    this.rota = new SchedulerRotation(wiring.schedulers(), random);
    this.time = time;
  }

  /// Begins to connect, in the background.
  void start() {
    lock.lock();
    try {
      thread = Thread.ofVirtual().name("scheduler-client").start(this::run);
    } finally {
      lock.unlock();
    }
  }

  public boolean isConnected() {
    @Nullable SchedulerSession current = current();
    return current != null && current.isWelcomed();
  }

  @Override
  public void updatesReady() {
    @Nullable SchedulerSession current = current();
    if (current != null) {
      current.wake();
    }
  }

  @Override
  public void closing() {
    updatesReady();
  }

  @Override
  public void refuse(Leadership leadership) {
    @Nullable SchedulerSession current = current();
    if (current != null) {
      current.end("its leader was deposed");
    }
  }

  @Override
  public void close() {
    @Nullable Thread running;
    lock.lock();
    try {
      closed = true;
      running = thread;
      changed.signalAll();
      if (session != null) {
        session.end("the agent closes down");
      }
    } finally {
      lock.unlock();
    }
    try {
      if (running != null) {
        running.join();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (!isClosed()) {
        long begun = time.monotonicNanos();
        URI address = rota.address();
        SchedulerSession.Outcome outcome = connect(address);
        if (outcome instanceof SchedulerSession.Outcome.Ended ended) {
          afterEnd(address, ended);
        }
        pause(rota.after(outcome, Duration.ofNanos(time.monotonicNanos() - begun)));
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void afterEnd(URI address, SchedulerSession.Outcome.Ended ended) {
    // An outage is worth one line, not one every few seconds.
    boolean news = ended.welcomed() || !silent;
    LOG.atLevel(news ? Level.INFO : Level.DEBUG)
        .log("no session with the scheduler at {}: {}", address, ended.why());
    silent = !ended.welcomed();
    if (ended.unauthenticated()) {
      wiring.rejectedToken().run();
    }
  }

  private SchedulerSession.Outcome connect(URI address) throws InterruptedException {
    SchedulerSession next = new SchedulerSession(agent, self, time, BootClock::nowMs);
    @Nullable ManagedChannel channel = null;
    try {
      channel = wiring.channels().apply(address);
      publish(next);
      return next.run(channel);
    } catch (RuntimeException e) {
      return new SchedulerSession.Outcome.Ended(false, false, String.valueOf(e.getMessage()));
    } finally {
      publish(null);
      if (channel != null) {
        Channels.close(channel);
      }
    }
  }

  private void publish(@Nullable SchedulerSession next) {
    lock.lock();
    try {
      session = next;
      if (closed && next != null) {
        next.end("the agent closes down");
      }
    } finally {
      lock.unlock();
    }
  }

  private @Nullable SchedulerSession current() {
    lock.lock();
    try {
      return session;
    } finally {
      lock.unlock();
    }
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  private void pause(Duration wait) throws InterruptedException {
    lock.lock();
    try {
      long left = wait.toNanos();
      while (!closed && left > 0) {
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }
}
