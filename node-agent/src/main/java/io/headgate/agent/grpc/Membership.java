package io.headgate.agent.grpc;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.runtime.Agent;
import io.headgate.agent.runtime.ledger.NodeIdentity;
import io.headgate.agent.runtime.watch.DeviceWatch;
import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.client.Channels;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.NodeServiceGrpc;
import io.headgate.proto.pool.v1.RegisterNodeRequest;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// This machine's place in the installation: joins once, tells what it has at every start, then
/// keeps a session with the leading scheduler. All in the background and for as long as it takes:
/// jobs of an earlier run are looked after meanwhile.
public final class Membership implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Membership.class);

  /// How long the first report waits to hear how the devices are; a sick one of an earlier run must
  /// not be taken for healthy meanwhile.
  private static final Duration FIRST_READING = Duration.ofSeconds(10);

  /// How often a node in quarantine asks whether it was approved.
  private static final Duration QUARANTINE_POLL = Duration.ofSeconds(30);

  private static final Duration NO_POLL = Duration.ofDays(1);

  /// Where the services are.
  public record Endpoints(URI policy, URI pool, List<URI> schedulers, Optional<Path> trust) {}

  private final Agent agent;
  private final GpuDriver driver;
  private final DeviceWatch devices;
  private final Endpoints endpoints;
  private final Machine machine;
  private final Path data;
  private final Enrolment enrolment;
  private final Telemetry telemetry;
  private final TimeSource time;
  private final RandomGenerator random = RandomGenerator.getDefault();
  private final AtomicBoolean registered = new AtomicBoolean();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final CompletableFuture<Void> refusal = new CompletableFuture<>();
  private boolean quarantined; // the membership's own thread only
  private volatile Runnable migWanted = () -> {};
  private boolean closed; // guarded by lock
  private boolean news; // of the devices; guarded by lock
  private @Nullable SchedulerClient client; // guarded by lock
  private @Nullable NodeIdentity identity; // guarded by lock

  /// The collaborators besides the agent.
  public record Wiring(
      Endpoints endpoints,
      Machine machine,
      Path data,
      Optional<Secret> joinToken,
      Telemetry telemetry,
      TimeSource time) {}

  public Membership(Agent agent, GpuDriver driver, DeviceWatch devices, Wiring wiring) {
    this.agent = agent;
    this.driver = driver;
    this.devices = devices;
    this.endpoints = wiring.endpoints();
    this.machine = wiring.machine();
    this.data = wiring.data();
    this.enrolment = new Enrolment(data, machine.nodeId(), wiring.joinToken());
    this.telemetry = wiring.telemetry();
    this.time = wiring.time();
  }

  /// Called whenever the pool wants MIG on; must be set before the start.
  public void onMigWanted(Runnable listener) {
    migWanted = listener;
  }

  /// Completes once the installation has refused this machine for good. The log says why, once, and
  /// nothing tries again.
  public CompletableFuture<Void> refusal() {
    return refusal;
  }

  public void start() {
    devices.onChange(this::devicesChanged);
    Thread.ofVirtual().name("membership").start(this::run);
  }

  /// Resource name of the node; empty before it has joined.
  public Optional<String> node() {
    lock.lock();
    try {
      return Optional.ofNullable(identity).map(NodeIdentity::node);
    } finally {
      lock.unlock();
    }
  }

  /// Whether it has joined, told what it has, and a scheduler listens.
  public boolean isComplete() {
    lock.lock();
    try {
      return registered.get() && client != null && client.isConnected();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    @Nullable SchedulerClient running;
    lock.lock();
    try {
      closed = true;
      running = client;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (running != null) {
      running.close();
    }
  }

  private void run() {
    Backoff backoff = backoff();
    try {
      while (!isClosed()) {
        try {
          member();
        } catch (ClosedException e) {
          throw e;
        } catch (JoinRefusedException e) {
          refused(e);
          return;
        } catch (RuntimeException e) {
          LOG.warn(
              "the agent is not connected to the control plane and tries again; jobs run on: {}",
              e.toString());
          pause(backoff.next());
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (ClosedException _) {
      LOG.debug("the agent was closed before it had joined");
    }
  }

  private void refused(JoinRefusedException why) {
    if (refusal.complete(null)) {
      LOG.error("{}", why.getMessage());
      // Not here: the client's own thread may be the one that heard of it.
      Thread.ofVirtual().name("refused").start(this::close);
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

  /// Joins, and stays until it is closed.
  private void member() throws InterruptedException {
    try (Closeable policy = open(endpoints.policy(), TokenSource.anonymous())) {
      boolean newcomer = !enrolment.isDone();
      Enrolment.Joined joined = join(policy.channel());
      NodeIdentity node = joined.identity();
      NodeTokens tokens = new NodeTokens(policy.channel(), joined, time, this::refused);
      if (newcomer) {
        // A scheduler cannot use the session before it knows the node's inventory.
        register(node, tokens);
        connect(node, tokens);
      } else {
        connect(node, tokens);
        register(node, tokens);
      }
      // The tokens need the channel for as long as the node is a member.
      while (awaitNews(quarantined ? QUARANTINE_POLL : NO_POLL)) {
        register(node, tokens);
      }
    }
  }

  /// Waits for a change of the devices, at most for `poll`; false at the end.
  private boolean awaitNews(Duration poll) throws InterruptedException {
    lock.lock();
    try {
      long left = poll.toNanos();
      while (!closed && !news && left > 0) {
        left = changed.awaitNanos(left);
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  private void devicesChanged() {
    lock.lock();
    try {
      news = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private Enrolment.Joined join(ManagedChannel policy) throws InterruptedException {
    Backoff backoff = backoff();
    while (true) {
      try {
        Enrolment.Joined joined = enrolment.join(policy);
        lock.lock();
        try {
          identity = joined.identity();
        } finally {
          lock.unlock();
        }
        return joined;
      } catch (IOException | StatusRuntimeException e) {
        LOG.warn("the node cannot join yet: {}", e.getMessage());
        pause(backoff.next());
      }
    }
  }

  private void connect(NodeIdentity joined, NodeTokens tokens) {
    SchedulerSession.Self self =
        new SchedulerSession.Self(
            joined.node(),
            UUID.randomUUID().toString(),
            machine.bootId(),
            machine.agentVersion(),
            driver.isSimulated());
    SchedulerClient.Wiring wiring =
        new SchedulerClient.Wiring(
            endpoints.schedulers(),
            address -> Channels.open(config(address), tokens, telemetry),
            tokens::reject);
    SchedulerClient made = new SchedulerClient(agent, self, wiring, random, time);
    lock.lock();
    try {
      if (closed) {
        throw new ClosedException();
      }
      if (client != null) {
        // Connected already, by a try that failed later.
        return;
      }
      client = made;
      agent.connect(made);
      made.start();
    } finally {
      lock.unlock();
    }
  }

  private void register(NodeIdentity joined, NodeTokens tokens) throws InterruptedException {
    devices.awaitFirst(FIRST_READING);
    Backoff backoff = backoff();
    try (Closeable pool = open(endpoints.pool(), tokens)) {
      while (true) {
        try {
          Node answer =
              NodeServiceGrpc.newBlockingStub(pool.channel()).registerNode(report(joined));
          registered.set(true);
          LOG.info("registered {} devices of {}", answer.getDevicesCount(), answer.getName());
          heed(answer.getMigAuto());
          judged(answer);
          return;
        } catch (StatusRuntimeException e) {
          LOG.warn("the node cannot register its devices yet: {}", e.getMessage());
          if (e.getStatus().getCode() == Status.Code.UNAUTHENTICATED) {
            tokens.reject();
          }
          pause(backoff.next());
        }
      }
    }
  }

  private void judged(Node answer) {
    boolean now = answer.getState() == Node.State.STATE_QUARANTINED;
    if (now && !quarantined) {
      LOG.warn(
          "this node gets no work until an admin approves what it has (headgate approve {}): {}",
          machine.nodeId(),
          answer.getQuarantine().getReason());
    }
    quarantined = now;
  }

  /// The pool's setting for its GPUs takes effect at the next start.
  private void heed(boolean migAuto) {
    lock.lock();
    try {
      if (identity != null && identity.migAuto() != migAuto) {
        identity = identity.withMigAuto(migAuto);
        identity.save(data);
      }
    } catch (IOException e) {
      // Said again at the next registration; without the record a renewal would be in vain.
      LOG.warn("the MIG setting of the pool cannot be recorded: {}", e.getMessage());
      return;
    } finally {
      lock.unlock();
    }
    if (migAuto) {
      migWanted.run();
    }
  }

  /// The machine's present inventory.
  private RegisterNodeRequest report(NodeIdentity joined) {
    lock.lock();
    try {
      // A change from here on causes one more report.
      news = false;
    } finally {
      lock.unlock();
    }
    return RegisterNodeRequest.newBuilder()
        .setNode(
            machine
                .report(joined.node(), driver)
                .addAllDevices(devices.seen().stream().map(ToWire::device).toList()))
        .build();
  }

  private void pause(Duration wait) throws InterruptedException {
    lock.lock();
    try {
      long left = wait.toNanos();
      while (!closed && left > 0) {
        left = changed.awaitNanos(left);
      }
      if (closed) {
        throw new ClosedException();
      }
    } finally {
      lock.unlock();
    }
  }

  private Backoff backoff() {
    return new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10), random);
  }

  private ChannelConfig config(URI server) {
    ChannelConfig defaults = ChannelConfig.of(server);
    return new ChannelConfig(
        server,
        endpoints.trust(),
        defaults.deadline(),
        defaults.keepAlive(),
        defaults.maxMessageSize());
  }

  private Closeable open(URI server, TokenSource tokens) {
    return new Closeable(Channels.open(config(server), tokens, telemetry));
  }

  private record Closeable(ManagedChannel channel) implements AutoCloseable {
    @Override
    public void close() {
      Channels.close(channel);
    }
  }

  private static final class ClosedException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }
}
