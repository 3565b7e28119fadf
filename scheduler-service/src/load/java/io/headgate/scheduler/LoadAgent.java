package io.headgate.scheduler;

import com.google.protobuf.Timestamp;
import io.grpc.Channel;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.headgate.proto.agent.v1.AgentServiceGrpc;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import io.headgate.proto.agent.v1.AttemptReport.State;
import io.headgate.proto.agent.v1.ConnectRequest;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.agent.v1.Heartbeat;
import io.headgate.proto.agent.v1.HeartbeatReply;
import io.headgate.proto.agent.v1.Hello;
import io.headgate.proto.agent.v1.Stop;
import io.headgate.proto.agent.v1.Update;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// An agent that speaks the real protocol and runs no program.
///
/// Each assigned job starts at once, and ends at once unless the benchmark holds it. One process
/// has room for a thousand such agents.
final class LoadAgent implements ClientResponseObserver<ConnectRequest, ConnectResponse> {
  /// Told on the stream's thread, before the agent answers.
  interface Listener {
    void assigned(Assign assign);

    void stopped(Stop stop);

    /// A job is over, which is durable.
    void forgot(String job);

    /// A heartbeat was answered this long after it was sent.
    void answered(long nanos);
  }

  /// Jobs of queues with this prefix run until they are stopped.
  static final String HELD = "held-";

  private final String name;
  private final Supplier<Channel> channels;
  private final Listener listener;
  private final Map<String, AttemptReport> live = new HashMap<>();
  private final Deque<Update> unacknowledged = new ArrayDeque<>();
  private @Nullable ClientCallStreamObserver<ConnectRequest> stream;
  private long sequence;
  private long heartbeats;
  private long heartbeatSent;
  private boolean welcomed;
  private int welcomes;

  /// @param channels where to connect, asked anew each time
  LoadAgent(String node, Supplier<Channel> channels, Listener listener) {
    this.name = Fixtures.ACME + "/nodes/" + node;
    this.channels = channels;
    this.listener = listener;
  }

  /// Opens a stream unless there is one, and says everything again that may be unknown.
  synchronized void connect() {
    if (stream != null) {
      return;
    }
    AgentServiceGrpc.newStub(channels.get()).connect(this);
    send(
        ConnectRequest.newBuilder()
            .setHello(
                Hello.newBuilder()
                    .setNode(name)
                    .setSessionId(UUID.randomUUID().toString())
                    .setBootId("boot-1")
                    .setAgentVersion("load")
                    .setProtocolVersion(1)
                    .setSimulated(true)
                    .addAllAttempts(live.values()))
            .build());
    List.copyOf(unacknowledged).forEach(update -> send(message(update)));
  }

  synchronized boolean isWelcomed() {
    return welcomed;
  }

  synchronized boolean isConnected() {
    return stream != null;
  }

  /// How often a leader has welcomed it.
  synchronized int welcomes() {
    return welcomes;
  }

  synchronized void heartbeat() {
    if (welcomed) {
      heartbeats++;
      heartbeatSent = System.nanoTime();
      send(
          ConnectRequest.newBuilder()
              .setHeartbeat(Heartbeat.newBuilder().setNumber(heartbeats))
              .build());
    }
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<ConnectRequest> call) {
    stream = call;
  }

  @Override
  public void onNext(ConnectResponse response) {
    switch (response.getMessageCase()) {
      case ASSIGN -> {
        listener.assigned(response.getAssign());
        assigned(response.getAssign());
      }
      case STOP -> {
        listener.stopped(response.getStop());
        stopped(response.getStop());
      }
      case WELCOME -> welcomed();
      case ACKNOWLEDGE -> acknowledged(response.getAcknowledge().getSequence());
      case FORGET -> forget(response.getForget().getJob());
      case NOT_LEADER -> ended();
      case HEARTBEAT_REPLY -> answered(response.getHeartbeatReply());
      case READ_LOGS, CANCEL_READ_LOGS, MESSAGE_NOT_SET -> {
        // Nothing is printed here.
      }
    }
  }

  private synchronized void answered(HeartbeatReply reply) {
    if (reply.getNumber() == heartbeats) {
      listener.answered(System.nanoTime() - heartbeatSent);
    }
  }

  private synchronized void welcomed() {
    welcomed = true;
    welcomes++;
  }

  private synchronized void assigned(Assign assign) {
    if (live.containsKey(assign.getJob())) {
      return;
    }
    AttemptReport running =
        AttemptReport.newBuilder()
            .setJob(assign.getJob())
            .setAttempt(assign.getAttempt())
            .setWorker(assign.getWorker())
            .setState(State.STATE_RUNNING)
            .setStartTime(now())
            .build();
    report(running);
    if (!assign.getQueue().startsWith(HELD)) {
      report(
          running.toBuilder()
              .setState(State.STATE_ENDED)
              .setEndReason(EndReason.END_REASON_EXITED)
              .setExitCode(0)
              .setEndTime(now())
              .build());
    }
  }

  private synchronized void stopped(Stop stop) {
    AttemptReport known = live.get(stop.getJob());
    if (known != null && known.getState() != State.STATE_ENDED) {
      report(
          known.toBuilder()
              .setState(State.STATE_ENDED)
              .setEndReason(EndReason.END_REASON_STOPPED)
              .setEndTime(now())
              .build());
    }
  }

  private void report(AttemptReport report) {
    live.put(report.getJob(), report);
    sequence++;
    Update update = Update.newBuilder().setSequence(sequence).setReport(report).build();
    unacknowledged.add(update);
    send(message(update));
  }

  private static ConnectRequest message(Update update) {
    return ConnectRequest.newBuilder().setUpdate(update).build();
  }

  private static Timestamp now() {
    Instant now = Instant.now();
    return Timestamp.newBuilder().setSeconds(now.getEpochSecond()).setNanos(now.getNano()).build();
  }

  private synchronized void acknowledged(long upTo) {
    while (!unacknowledged.isEmpty() && unacknowledged.getFirst().getSequence() <= upTo) {
      unacknowledged.removeFirst();
    }
  }

  private void forget(String job) {
    synchronized (this) {
      live.remove(job);
    }
    listener.forgot(job);
  }

  private void send(ConnectRequest request) {
    if (stream != null) {
      try {
        stream.onNext(request);
      } catch (IllegalStateException e) {
        // The stream has just ended; the next one repeats everything.
        ended();
      }
    }
  }

  private synchronized void ended() {
    stream = null;
    welcomed = false;
  }

  @Override
  public void onError(Throwable cause) {
    ended();
  }

  @Override
  public void onCompleted() {
    ended();
  }

  /// Attempts that the leader has not forgotten yet.
  synchronized int live() {
    return live.size();
  }

  /// Jobs that run here.
  synchronized List<String> running() {
    List<String> running = new ArrayList<>();
    live.values().stream()
        .filter(report -> report.getState() == State.STATE_RUNNING)
        .forEach(report -> running.add(report.getJob()));
    return running;
  }
}
