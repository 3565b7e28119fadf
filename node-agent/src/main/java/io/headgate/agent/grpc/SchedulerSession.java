package io.headgate.agent.grpc;

import com.google.protobuf.util.Durations;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.Leadership;
import io.headgate.agent.runtime.Agent;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.AgentServiceGrpc;
import io.headgate.proto.agent.v1.Closing;
import io.headgate.proto.agent.v1.ConnectRequest;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.agent.v1.Hello;
import io.headgate.proto.agent.v1.Welcome;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One stream to one scheduler, from Hello to its end.
///
/// One thread, the caller of [#run] or of [#step], owns all state and does all sending: heartbeats
/// first, then updates in order, then output. Updates and output are sent only as fast as the
/// stream takes them (back-pressure). A scheduler that reads slowly therefore costs bounded memory
/// and delays no heartbeat. Other threads only put events into the inbox. The next message is
/// requested when the one before is done.
public final class SchedulerSession
    implements ClientResponseObserver<ConnectRequest, ConnectResponse> {
  private static final Logger LOG = LoggerFactory.getLogger(SchedulerSession.class);
  private static final Duration WELCOME_PATIENCE = Duration.ofSeconds(10);
  private static final Duration LEAST_REPLY_PATIENCE = Duration.ofSeconds(10);
  private static final Duration FOLLOW_INTERVAL = Duration.ofMillis(100);
  private static final int UPDATE_BATCH = 100;

  /// How a session ended.
  public sealed interface Outcome {
    /// Another replica leads.
    ///
    /// @param address `host:port`; empty: unknown
    record Redirected(String address) implements Outcome {}

    /// It is over.
    ///
    /// @param welcomed whether it had been opened
    /// @param unauthenticated whether the token was refused
    record Ended(boolean welcomed, boolean unauthenticated, String why) implements Outcome {}
  }

  /// The agent's identity, as Hello states it.
  public record Self(
      String node, String sessionId, String bootId, String agentVersion, boolean simulated) {}

  private final Agent agent;
  private final Self self;
  private final TimeSource time;
  private final LongSupplier bootMs;
  private final BlockingQueue<Event> inbox = new LinkedBlockingQueue<>();
  private final AtomicBoolean wakeQueued = new AtomicBoolean();
  private volatile boolean welcomed;

  // Owned by the session's thread.
  private @Nullable ClientCallStreamObserver<ConnectRequest> requests;
  private @Nullable Outcome outcome;
  private long helloBootMs;
  private long heartbeatNanos = Duration.ofSeconds(5).toNanos();
  private long nextHeartbeatNanos;
  private long lastHeardNanos;
  private long sentSequence;
  private boolean saidHello;
  private boolean saidClosing;
  private final Heartbeats heartbeats;
  private final LogReaders readers;

  private sealed interface Event {
    record Received(ConnectResponse message) implements Event {}

    /// How every attempt stands, so that Hello can be said.
    record Known(List<AttemptReport> reports) implements Event {}

    record Woken() implements Event {}

    record Over(Outcome outcome) implements Event {}
  }

  /// A session that has not begun.
  ///
  /// @param bootMs the boot clock
  public SchedulerSession(Agent agent, Self self, TimeSource time, LongSupplier bootMs) {
    this.agent = agent;
    this.self = self;
    this.time = time;
    this.bootMs = bootMs;
    this.heartbeats = new Heartbeats(agent, bootMs);
    this.readers = new LogReaders(agent);
  }

  /// Opens the stream and serves it until it ends, on the caller's thread.
  Outcome run(Channel channel) throws InterruptedException {
    var _ = AgentServiceGrpc.newStub(channel).connect(this);
    try {
      begin();
      while (outcome == null) {
        @Nullable Event event = inbox.poll(nanosToWait(), TimeUnit.NANOSECONDS);
        if (event != null) {
          take(event);
        }
        step();
      }
      return outcome;
    } finally {
      finish();
    }
  }

  /// Begins, once there is a stream ([#beforeStart]).
  public void begin() {
    lastHeardNanos = time.monotonicNanos();
    var _ =
        agent
            .reports()
            .whenComplete((reports, failure) -> {
              if (failure == null) {
                inbox.add(new Event.Known(reports));
              } else {
                end("the agent's loop has ended");
              }
            });
  }

  /// Takes what has arrived and sends what is due, without waiting. To be called again when
  /// something arrives, and after [#nanosToWait].
  public void step() {
    while (outcome == null && !inbox.isEmpty()) {
      take(inbox.remove());
    }
    if (outcome == null) {
      serve();
    }
  }

  /// How it ended; empty: it goes on.
  public Optional<Outcome> outcome() {
    return Optional.ofNullable(outcome);
  }

  boolean isWelcomed() {
    return welcomed;
  }

  /// Something may be to send.
  public void wake() {
    if (wakeQueued.compareAndSet(false, true)) {
      inbox.add(new Event.Woken());
    }
  }

  /// Ends the session.
  public void end(String why) {
    end(new Outcome.Ended(welcomed, false, why));
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<ConnectRequest> stream) {
    requests = stream;
    stream.disableAutoRequestWithInitial(1);
    stream.setOnReadyHandler(this::wake);
  }

  @Override
  public void onNext(ConnectResponse message) {
    inbox.add(new Event.Received(message));
  }

  @Override
  public void onError(Throwable failure) {
    Status status = Status.fromThrowable(failure);
    boolean unauthenticated = status.getCode() == Status.Code.UNAUTHENTICATED;
    end(new Outcome.Ended(welcomed, unauthenticated, String.valueOf(failure.getMessage())));
  }

  @Override
  public void onCompleted() {
    end("the scheduler ended the stream");
  }

  private void end(Outcome end) {
    inbox.add(new Event.Over(end));
  }

  private void take(Event event) {
    switch (event) {
      case Event.Received(ConnectResponse message) -> {
        lastHeardNanos = time.monotonicNanos();
        try {
          take(message);
        } catch (IllegalArgumentException | IOException e) {
          LOG.error("the agent refused a message of the scheduler: {}", e.getMessage());
        }
        if (requests != null) {
          requests.request(1);
        }
      }
      case Event.Known(List<AttemptReport> reports) -> {
        helloBootMs = bootMs.getAsLong();
        send(ConnectRequest.newBuilder().setHello(hello(reports)).build());
        saidHello = true;
        sayFirst();
      }
      case Event.Woken _ -> {
        wakeQueued.set(false);
        // At once, because the next event may be the end.
        sayFirst();
      }
      case Event.Over(Outcome end) -> outcome = end;
    }
  }

  private Hello hello(List<AttemptReport> reports) {
    Hello.Builder hello =
        Hello.newBuilder()
            .setNode(self.node())
            .setSessionId(self.sessionId())
            .setBootId(self.bootId())
            .setAgentVersion(self.agentVersion())
            .setProtocolVersion(Protocol.VERSION)
            .setSimulated(self.simulated())
            .setClosing(agent.isClosing())
            .setRunsImages(agent.runsImages())
            .setImageRules(ToWire.imageRules(agent.imageRules()));
    agent.history().highest().map(ToWire::leadership).ifPresent(hello::setHighestObeyed);
    reports.forEach(report -> hello.addAttempts(ToWire.report(report)));
    return hello.build();
  }

  private void take(ConnectResponse message) throws IOException {
    switch (message.getMessageCase()) {
      case WELCOME -> welcome(message.getWelcome());
      case NOT_LEADER -> outcome = new Outcome.Redirected(message.getNotLeader().getAddress());
      case ASSIGN -> agent.post(FromWire.assign(message.getAssign(), time.instant()));
      case STOP -> agent.post(FromWire.stop(message.getStop(), time.instant()));
      case RESUME -> agent.post(FromWire.resume(message.getResume(), time.instant()));
      case GO -> agent.post(FromWire.go(message.getGo(), time.instant()));
      case ACKNOWLEDGE -> agent.acknowledge(message.getAcknowledge().getSequence());
      case HEARTBEAT_REPLY -> heard(message.getHeartbeatReply().getNumber());
      case READ_LOGS -> readers.read(message.getReadLogs(), this::send);
      case CANCEL_READ_LOGS -> readers.close(message.getCancelReadLogs().getReadId());
      case FORGET -> agent.post(FromWire.forgotten(message.getForget()));
      case MESSAGE_NOT_SET -> LOG.debug("the agent ignored a message of a newer protocol");
    }
  }

  private void welcome(Welcome welcome) throws IOException {
    Optional<String> problem = Protocol.problem(Protocol.VERSION, welcome.getProtocolVersion());
    if (problem.isPresent()) {
      outcome = new Outcome.Ended(false, false, problem.get());
      return;
    }
    Leadership leadership = FromWire.leadership(welcome.getLeadership());
    // The scheduler has seen our Hello, so it counts our silence from no earlier than that.
    agent.contact(helloBootMs);
    agent.post(new Input.Welcomed(leadership));
    agent.acknowledge(welcome.getAcknowledgedSequence());
    sentSequence = welcome.getAcknowledgedSequence();
    if (Durations.isPositive(welcome.getHeartbeatInterval())) {
      heartbeatNanos = Durations.toNanos(welcome.getHeartbeatInterval());
    }
    nextHeartbeatNanos = time.monotonicNanos();
    welcomed = true;
    LOG.info("{} reports to {}", self.node(), leadership);
  }

  private void heard(long number) {
    heartbeats.answered(number).ifPresent(agent::contact);
  }

  /// Sends what is due and fits.
  private void serve() {
    long now = time.monotonicNanos();
    Duration patience = welcomed ? replyPatience() : WELCOME_PATIENCE;
    if (now - lastHeardNanos > patience.toNanos()) {
      outcome =
          new Outcome.Ended(
              welcomed, false, "the scheduler has sent nothing for " + patience.toSeconds() + " s");
      return;
    }
    if (!welcomed || outcome != null) {
      return;
    }
    if (now - nextHeartbeatNanos >= 0) {
      nextHeartbeatNanos = now + heartbeatNanos;
      heartbeat();
    }
    sendUpdates();
    readers.send(this::isReady, this::send);
  }

  private void heartbeat() {
    if (!agent.isTurning()) {
      // It would promise that what is assigned here is run.
      outcome = new Outcome.Ended(welcomed, false, "the agent's own loop is stuck");
      return;
    }
    send(ConnectRequest.newBuilder().setHeartbeat(heartbeats.next()).build());
  }

  /// Sends the messages that must precede updates: a due heartbeat, and once a stream that the
  /// agent closes. The scheduler gives no new work from then on.
  private void sayFirst() {
    if (saidHello && !saidClosing && agent.isClosing()) {
      saidClosing = true;
      send(ConnectRequest.newBuilder().setClosing(Closing.getDefaultInstance()).build());
    }
    if (welcomed && heartbeats.isDue()) {
      heartbeat();
    }
  }

  private void sendUpdates() {
    List<Agent.Update> batch = agent.updatesAfter(sentSequence, UPDATE_BATCH);
    while (!batch.isEmpty()) {
      // Asked after the batch was taken: what it may hold of the stop comes behind this.
      sayFirst();
      for (Agent.Update update : batch) {
        if (!isReady()) {
          return;
        }
        send(ConnectRequest.newBuilder().setUpdate(ToWire.update(update)).build());
        sentSequence = update.sequence();
      }
      batch = agent.updatesAfter(sentSequence, UPDATE_BATCH);
    }
  }

  /// How long nothing is due, unless something arrives.
  public long nanosToWait() {
    long now = time.monotonicNanos();
    long wait = lastHeardNanos + (welcomed ? replyPatience() : WELCOME_PATIENCE).toNanos() - now;
    if (welcomed) {
      wait = Math.min(wait, nextHeartbeatNanos - now);
    }
    if (!readers.isEmpty()) {
      wait = Math.min(wait, FOLLOW_INTERVAL.toNanos());
    }
    return Math.max(0, wait);
  }

  private Duration replyPatience() {
    Duration three = Duration.ofNanos(heartbeatNanos).multipliedBy(3);
    return three.compareTo(LEAST_REPLY_PATIENCE) > 0 ? three : LEAST_REPLY_PATIENCE;
  }

  private boolean isReady() {
    return requests != null && requests.isReady();
  }

  private void send(ConnectRequest message) {
    if (requests != null && outcome == null) {
      requests.onNext(message);
    }
  }

  /// Lets go of the stream.
  public void finish() {
    welcomed = false;
    readers.closeAll();
    if (requests == null) {
      return;
    }
    if (saidClosing && outcome != null) {
      // In order, because a cancellation may overtake what was just said.
      requests.onCompleted();
      requests.request(Integer.MAX_VALUE);
    } else {
      requests.cancel("session over", null);
    }
  }
}
