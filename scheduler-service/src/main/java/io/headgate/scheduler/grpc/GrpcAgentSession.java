package io.headgate.scheduler.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.ConnectRequest;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.agent.v1.Heartbeat;
import io.headgate.proto.agent.v1.HeartbeatReply;
import io.headgate.proto.agent.v1.Hello;
import io.headgate.proto.agent.v1.NotLeader;
import io.headgate.proto.agent.v1.Update;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.agent.AgentCommand;
import io.headgate.scheduler.runtime.agent.AgentHello;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.agent.ContactClock;
import io.headgate.scheduler.runtime.agent.NodeCondition;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One agent's stream. Memory is bounded in both directions. The session stops reading while too
/// many of the agent's messages are unacknowledged. It cuts the stream when the agent reads too
/// slowly. The next Hello restores everything that a cut loses. Thread-safe.
final class GrpcAgentSession implements AgentSession, StreamObserver<ConnectRequest> {
  private static final Logger LOG = LoggerFactory.getLogger(GrpcAgentSession.class);
  private static final Duration RETRY = Duration.ofMillis(500);

  /// Updates that wait to be durable.
  private static final int MAX_UNACKNOWLEDGED = 256;

  private final NodeId node;
  private final ServerCallStreamObserver<ConnectResponse> out;
  private final Outbox outbox;
  private final LeaderDoor door;
  private final AgentSessions sessions;
  private final TimeSource time;
  private final LogRelays relays;
  private final ReentrantLock lock = new ReentrantLock();

  /// Confined to the thread that handles the agent's messages. One message is handled at a time.
  private @Nullable NodeCondition condition;

  // Guarded by lock.
  private int unacknowledged;
  private boolean isPaused;
  private @Nullable HeldHello held; // a Hello that waits or is being resumed: nothing more is read
  private boolean isOver;
  private volatile boolean isGone; // written under lock
  private volatile int protocol = AgentMapper.PROTOCOL_VERSION;
  private volatile @Nullable ContactClock clock;
  private volatile boolean isKnownToLeader; // the leader has taken the Hello

  /// @param writer the thread that writes to the agent
  GrpcAgentSession(
      NodeId node,
      ServerCallStreamObserver<ConnectResponse> out,
      Executor writer,
      LeaderDoor door,
      AgentSessions sessions,
      TimeSource time) {
    this.node = node;
    this.relays = new LogRelays(node);
    this.out = out;
    this.outbox = new Outbox(out, writer, lock, this::tooSlow);
    this.door = door;
    this.sessions = sessions;
    this.time = time;
  }

  GrpcAgentSession open() {
    out.disableAutoRequest();
    out.setOnReadyHandler(outbox::flush);
    out.setOnCancelHandler(this::gone);
    // Also when an interceptor refuses a message, which is not heard of here.
    out.setOnCloseHandler(this::gone);
    out.request(1);
    return this;
  }

  @Override
  public NodeId node() {
    return node;
  }

  // Handles a message from the agent.

  @Override
  public void onNext(ConnectRequest request) {
    take(request);
    requestMore();
  }

  private void take(ConnectRequest request) {
    ContactClock known = clock;
    if (known != null) {
      known.heard(time.monotonicNanos());
    } else if (!request.hasHello()) {
      throw Refusal.failedPrecondition("HELLO_EXPECTED", "the first message is Hello").exception();
    }
    switch (request.getMessageCase()) {
      case HELLO -> hello(request.getHello());
      case UPDATE -> update(request.getUpdate());
      case CLOSING -> Refusals.demandTaken(door.closing(this));
      case HEARTBEAT -> heartbeat(request.getHeartbeat());
      case LOG_CHUNK -> relays.take(request.getLogChunk());
      case MESSAGE_NOT_SET ->
          throw Refusal.invalid("MALFORMED_REQUEST", "a message says something").exception();
    }
  }

  private void hello(Hello hello) {
    if (clock != null) {
      throw Refusal.failedPrecondition("HELLO_REPEATED", "a stream has one Hello").exception();
    }
    AgentMapper.demandOwn(hello, node);
    protocol = AgentMapper.spoken(AgentMapper.PROTOCOL_VERSION, hello.getProtocolVersion());
    if (door.clock(node).isEmpty() && !hasObeyedLater(hello) && hold(hello)) {
      return;
    }
    // Perhaps it has just begun to lead.
    Optional<ContactClock> known = door.clock(node);
    if (known.isEmpty() || hasObeyedLater(hello)) {
      endNotLeader(leaderAddress());
      return;
    }
    AgentHello said = AgentMapper.toHello(hello);
    condition = new NodeCondition(Set.of(), Optional.of(said.runsImages()));
    clock = known.get();
    known.get().heard(time.monotonicNanos());
    sessions.opened(this);
    if (!door.hello(this, said)) {
      sessions.closed(this);
      endNotLeader(leaderAddress());
      return;
    }
    isKnownToLeader = true;
    if (isGone) {
      // The stream ended on another thread, perhaps before the session was opened: the end is
      // repeated, so that it comes last.
      closeSession();
    }
  }

  /// A Hello that waits until it is known whether this replica leads.
  private final class HeldHello implements Runnable {
    private final Hello hello;

    HeldHello(Hello hello) {
      this.hello = hello;
    }

    @Override
    public void run() {
      resume(this);
    }
  }

  /// Waits for this replica to lead, if it is about to; nothing more is read meanwhile.
  ///
  /// @return false: it is not
  private boolean hold(Hello hello) {
    lock.lock();
    try {
      HeldHello waiting = new HeldHello(hello);
      if (isOver || !door.takeoverWaiters().add(waiting)) {
        return false;
      }
      held = waiting;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /// Takes a held Hello, once it is known whether this replica leads. The leader and the table of
  /// sessions are called without the lock, so the stream may end meanwhile.
  private void resume(HeldHello waiting) {
    if (isGone) {
      return;
    }
    try {
      hello(waiting.hello);
    } catch (RuntimeException e) {
      end(() -> out.onError(e));
    }
    lock.lock();
    try {
      if (held == waiting) {
        held = null;
      }
    } finally {
      lock.unlock();
    }
    requestMore();
  }

  private boolean hasObeyedLater(Hello hello) {
    return AgentMapper.hasObeyedLater(hello, door.leadership());
  }

  private String leaderAddress() {
    return door.leaderAddress().orElse("");
  }

  private void update(Update update) {
    lock.lock();
    try {
      unacknowledged++;
    } finally {
      lock.unlock();
    }
    Refusals.demandTaken(
        door.report(this, update.getSequence(), AgentMapper.toReport(update.getReport())));
  }

  /// Answered only while this replica's lease excludes any other leader. The answer lets the node's
  /// supervisors run on, and the next leader counts the silence from its take-over.
  private void heartbeat(Heartbeat heartbeat) {
    if (!door.holdsLease()) {
      endNotLeader(leaderAddress());
      return;
    }
    NodeCondition now = AgentMapper.toCondition(heartbeat);
    if (!now.equals(condition)) {
      Refusals.demandTaken(door.changed(this, now));
      condition = now;
    }
    AttemptNews.hand(heartbeat, this, door);
    outbox.send(
        ConnectResponse.newBuilder()
            .setHeartbeatReply(HeartbeatReply.newBuilder().setNumber(heartbeat.getNumber()))
            .build());
    answered();
  }

  private void answered() {
    ContactClock known = clock;
    if (known != null) {
      known.answered(time.monotonicNanos());
    }
  }

  private void requestMore() {
    lock.lock();
    try {
      isPaused = unacknowledged >= MAX_UNACKNOWLEDGED;
      if (isOver || isPaused || held != null) {
        return;
      }
    } finally {
      lock.unlock();
    }
    out.request(1);
  }

  @Override
  public void onError(Throwable failure) {
    LOG.debug("the stream of {} broke", node, failure);
    gone();
  }

  @Override
  public void onCompleted() {
    end(out::onCompleted);
  }

  // Queues a command for the agent.

  @Override
  public void send(AgentCommand command) {
    outbox.send(AgentMapper.toResponse(command, protocol));
    if (command instanceof AgentCommand.Welcome) {
      answered();
    }
    if (command instanceof AgentCommand.Acknowledge) {
      acknowledged();
    }
  }

  private void acknowledged() {
    boolean resumes;
    lock.lock();
    try {
      // Some may be of updates that came in between: the bound need not be exact.
      unacknowledged = 0;
      resumes = isPaused && !isOver;
      isPaused = false;
    } finally {
      lock.unlock();
    }
    if (resumes) {
      out.request(1);
    }
  }

  private void tooSlow() {
    LOG.warn("{} does not read what it is told; its stream is cut", node);
    end(() ->
        out.onError(
            Refusal.unavailable("AGENT_TOO_SLOW", "too much was not read; connect again", RETRY)
                .exception()));
  }

  @Override
  public void endNotLeader(String leaderAddress) {
    end(() -> {
      out.onNext(
          ConnectResponse.newBuilder()
              .setNotLeader(NotLeader.newBuilder().setAddress(leaderAddress))
              .build());
      out.onCompleted();
    });
  }

  @Override
  public void endReplaced() {
    end(() ->
        out.onError(
            Refusal.conflict("SESSION_REPLACED", "another stream of this node took over")
                .exception()));
  }

  private void end(Runnable last) {
    lock.lock();
    try {
      if (isOver) {
        return;
      }
      isOver = true;
      outbox.end(last);
    } finally {
      lock.unlock();
    }
    gone();
  }

  private void gone() {
    lock.lock();
    try {
      isOver = true;
      if (isGone) {
        return;
      }
      isGone = true;
      // Messages may be queued until the session is marked as ended; the agent cannot read them any
      // more.
      outbox.drop();
      if (held != null) {
        door.takeoverWaiters().remove(held);
      }
    } finally {
      lock.unlock();
    }
    relays.lose();
    closeSession();
  }

  /// Removes the session here and at the leader. May be repeated.
  private void closeSession() {
    sessions.closed(this);
    if (isKnownToLeader) {
      door.ended(this);
    }
  }

  // Output.

  /// Asks for output; `relay` gets it.
  void read(LogRelay relay, AgentCommand.ReadLogs request) {
    relays.add(request.readId(), relay);
    send(request);
    lock.lock();
    try {
      if (isOver) {
        relay.lost();
      }
    } finally {
      lock.unlock();
    }
  }

  void cancelRead(String readId) {
    if (relays.remove(readId)) {
      send(new AgentCommand.CancelReadLogs(readId));
    }
  }
}
