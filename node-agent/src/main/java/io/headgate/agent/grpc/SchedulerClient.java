package io.headgate.agent.grpc;

import io.grpc.ManagedChannel;
import io.headgate.agent.core.Leadership;
import io.headgate.agent.runtime.Agent;
import io.headgate.agent.runtime.ControlPlane;
import io.headgate.kit.client.Channels;
import io.headgate.kit.time.TimeSource;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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
  private static final int MAX_REDIRECTS = 4;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

  /// While replicas answer and none leads: an election takes seconds.
  private static final Duration LONGEST_ELECTION_WAIT = Duration.ofSeconds(1);

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
  private final Backoff backoff;
  private final Backoff electing;
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
    this.backoff = new Backoff(Duration.ofMillis(100), LONGEST_WAIT, random);
    this.electing = new Backoff(Duration.ofMillis(100), LONGEST_ELECTION_WAIT, random);
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
    int turn = 0;
    int redirects = 0;
    URI address = wiring.schedulers().getFirst();
    try {
      while (!isClosed()) {
        long begun = time.monotonicNanos();
        SchedulerSession.Outcome outcome = connect(address);
        Optional<URI> leader = leaderOf(outcome, address);
        if (leader.isPresent() && redirects < MAX_REDIRECTS) {
          redirects++;
          address = leader.get();
          continue;
        }
        boolean isElecting =
            redirects > 0 || outcome instanceof SchedulerSession.Outcome.Redirected;
        redirects = 0;
        if (outcome instanceof SchedulerSession.Outcome.Ended ended) {
          afterEnd(address, ended, Duration.ofNanos(time.monotonicNanos() - begun));
        }
        turn++;
        if (replica(turn).equals(address)) {
          // Not the one that has just failed us, if there is another.
          turn++;
        }
        address = replica(turn);
        pause((isElecting ? electing : backoff).next());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private URI replica(int turn) {
    return wiring.schedulers().get(turn % wiring.schedulers().size());
  }

  /// Where the outcome sends us; empty: nowhere, or to what is no address.
  private static Optional<URI> leaderOf(SchedulerSession.Outcome outcome, URI from) {
    if (!(outcome instanceof SchedulerSession.Outcome.Redirected(String leader))
        || leader.isEmpty()) {
      return Optional.empty();
    }
    try {
      URI address = new URI(from.getScheme() + "://" + leader).parseServerAuthority();
      return Optional.of(address).filter(uri -> uri.getHost() != null);
    } catch (URISyntaxException e) {
      LOG.warn("{} names '{}' as the leader's address, which is none", from, leader);
      return Optional.empty();
    }
  }

  private void afterEnd(URI address, SchedulerSession.Outcome.Ended ended, Duration lasted) {
    // An outage is worth one line, not one every few seconds.
    boolean news = ended.welcomed() || !silent;
    LOG.atLevel(news ? Level.INFO : Level.DEBUG)
        .log("no session with {}: {}", address, ended.why());
    silent = !ended.welcomed();
    if (ended.unauthenticated()) {
      wiring.rejectedToken().run();
    }
    // Whoever welcomes us only to hang up again is not to be asked ten times a second.
    if (ended.welcomed() && lasted.compareTo(LONGEST_WAIT) >= 0) {
      backoff.reset();
      electing.reset();
    }
  }

  private SchedulerSession.Outcome connect(URI address) throws InterruptedException {
    SchedulerSession next = new SchedulerSession(agent, self, time);
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
