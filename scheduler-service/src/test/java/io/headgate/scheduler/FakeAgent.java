package io.headgate.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.headgate.proto.agent.v1.AgentServiceGrpc;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import io.headgate.proto.agent.v1.AttemptReport.State;
import io.headgate.proto.agent.v1.Closing;
import io.headgate.proto.agent.v1.ConnectRequest;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.agent.v1.Forget;
import io.headgate.proto.agent.v1.Heartbeat;
import io.headgate.proto.agent.v1.Hello;
import io.headgate.proto.agent.v1.LogChunk;
import io.headgate.proto.agent.v1.Stop;
import io.headgate.proto.agent.v1.Update;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// An agent without a machine: it speaks the real protocol over a real stream and runs nothing. Its
/// ledger is all it knows of its attempts, and survives its streams. By default it starts and stops
/// attempts as told; a test may make it slow to do either.
final class FakeAgent implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(60);

  final String node;
  private volatile Channel channel;
  private final String name;
  private final AtomicLong sequence = new AtomicLong();
  private final AtomicLong heartbeats = new AtomicLong();

  // All guarded by this.
  private final Map<String, AttemptReport> ledger = new LinkedHashMap<>();
  private final Map<Long, Update> unacknowledged = new LinkedHashMap<>();
  private final List<ConnectResponse> heard = new ArrayList<>();
  private @Nullable ClientCallStreamObserver<ConnectRequest> stream;
  private @Nullable Throwable failure;
  private boolean isOver = true;
  private String session = UUID.randomUUID().toString();
  private String bootId = "boot-1";
  private boolean holdsBack;
  private boolean starts = true;
  private boolean stops = true;
  private boolean acts = true;
  private boolean finishes;
  private boolean hears = true;
  private final Map<String, Integer> begun = new LinkedHashMap<>();
  private final List<Update> spoken = new ArrayList<>();

  FakeAgent(String tenant, String node, Channel channel) {
    this.node = node;
    this.name = "tenants/" + tenant + "/nodes/" + node;
    this.channel = channel;
  }

  /// Its next stream goes elsewhere.
  FakeAgent through(Channel other) {
    channel = other;
    return this;
  }

  /// Does not start what it is assigned until told to.
  synchronized FakeAgent slowToStart() {
    starts = false;
    return this;
  }

  /// Ignores orders to stop until told otherwise.
  synchronized FakeAgent slowToStop() {
    stops = false;
    return this;
  }

  synchronized FakeAgent quick() {
    starts = true;
    stops = true;
    return this;
  }

  /// Ends every job at once, with exit code 0.
  synchronized FakeAgent finishing() {
    finishes = true;
    return this;
  }

  /// Ignores all orders.
  synchronized FakeAgent deaf() {
    hears = false;
    return this;
  }

  synchronized FakeAgent hearing() {
    hears = true;
    return this;
  }

  /// Records messages and reacts to none of them.
  synchronized FakeAgent abandoned() {
    acts = false;
    return this;
  }

  /// Its ledger is gone, though the machine was not rebooted.
  synchronized FakeAgent forgetful() {
    ledger.clear();
    unacknowledged.clear();
    return this;
  }

  /// Every update that it ever made, in order.
  synchronized List<Update> spoken() {
    return List.copyOf(spoken);
  }

  /// Reports whatever it likes.
  void say(AttemptReport report) {
    Update update =
        Update.newBuilder().setSequence(sequence.incrementAndGet()).setReport(report).build();
    send(ConnectRequest.newBuilder().setUpdate(update).build());
  }

  /// Opens a stream with something else than Hello.
  void openWith(ConnectRequest first) {
    forgetStream();
    AgentServiceGrpc.newStub(channel).connect(new Ears());
    send(first);
  }

  /// How often each attempt was really begun.
  synchronized Map<String, Integer> begun() {
    return Map.copyOf(begun);
  }

  /// Opens a stream and waits for the answer to Hello. A stream that was opened on the connection
  /// of a process that is gone is opened again, as a real agent would do.
  FakeAgent connect() {
    open(hello());
    awaitThat(() -> {
      if (isOver() && wasCut()) {
        open(hello());
      }
      return has(ConnectResponse::hasWelcome) || isOver();
    });
    return this;
  }

  /// The stream was cut, and no leader refused it.
  private boolean wasCut() {
    return failure()
        .filter(cause -> Status.fromThrowable(cause).getCode() == Status.Code.UNAVAILABLE)
        .isPresent();
  }

  synchronized Hello.Builder hello() {
    return Hello.newBuilder()
        .setNode(name)
        .setSessionId(session)
        .setBootId(bootId)
        .setAgentVersion("test")
        .setProtocolVersion(1)
        .setSimulated(true)
        .addAllAttempts(ledger.values());
  }

  /// Messages of an earlier stream, and its end, are ignored from now on.
  private synchronized void forgetStream() {
    stream = null;
    heard.clear();
    isOver = false;
    failure = null;
  }

  void open(Hello.Builder hello) {
    forgetStream();
    AgentServiceGrpc.newStub(channel).connect(new Ears());
    send(ConnectRequest.newBuilder().setHello(hello).build());
    List<Update> again;
    synchronized (this) {
      again = new ArrayList<>(unacknowledged.values());
    }
    again.forEach(update -> send(ConnectRequest.newBuilder().setUpdate(update).build()));
  }

  /// A new process of the agent; the ledger stays.
  synchronized FakeAgent restarted() {
    session = UUID.randomUUID().toString();
    return this;
  }

  /// The machine was rebooted: nothing of the last boot runs, and the ledger says so.
  synchronized FakeAgent rebooted() {
    session = UUID.randomUUID().toString();
    bootId = "boot-" + UUID.randomUUID();
    ledger.replaceAll((_, report) ->
        report.getState() == State.STATE_ENDED
            ? report
            : report.toBuilder()
                .setState(State.STATE_ENDED)
                .setEndReason(EndReason.END_REASON_LOST)
                .build());
    return this;
  }

  /// The machine was rebooted and remembers nothing.
  synchronized FakeAgent reinstalled() {
    session = UUID.randomUUID().toString();
    bootId = "boot-" + UUID.randomUUID();
    ledger.clear();
    unacknowledged.clear();
    sequence.set(0);
    return this;
  }

  synchronized void disconnect() {
    if (stream != null) {
      stream.cancel("the test cut it", null);
      stream = null;
    }
    isOver = true;
  }

  void send(ConnectRequest request) {
    ClientCallStreamObserver<ConnectRequest> open;
    synchronized (this) {
      open = stream;
    }
    if (open != null) {
      try {
        open.onNext(request);
      } catch (IllegalStateException e) {
        // The stream ended meanwhile; a real agent would say it again as well.
        assertThat(isOver()).isTrue();
      }
    }
  }

  /// Sends a heartbeat.
  ///
  /// @return the heartbeat's number
  long heartbeat() {
    return heartbeat(List.of());
  }

  /// Sends a heartbeat with the devices on which no new slice can be placed.
  long heartbeat(List<String> unusableDevices) {
    long number = heartbeats.incrementAndGet();
    send(
        ConnectRequest.newBuilder()
            .setHeartbeat(
                Heartbeat.newBuilder().setNumber(number).addAllUnusableDevices(unusableDevices))
            .build());
    return number;
  }

  /// Says whether it runs jobs with an image now.
  void runsImages(boolean does) {
    send(
        ConnectRequest.newBuilder()
            .setHeartbeat(
                Heartbeat.newBuilder().setNumber(heartbeats.incrementAndGet()).setRunsImages(does))
            .build());
  }

  /// Says that it is being shut down.
  void closing() {
    send(ConnectRequest.newBuilder().setClosing(Closing.getDefaultInstance()).build());
  }

  // Reports about its attempts.

  void running(String job) {
    report(job, report -> report.setState(State.STATE_RUNNING));
  }

  void exits(String job, int code) {
    report(
        job,
        report ->
            report
                .setState(State.STATE_ENDED)
                .setEndReason(EndReason.END_REASON_EXITED)
                .setExitCode(code));
  }

  void ends(String job, EndReason reason) {
    report(job, report -> report.setState(State.STATE_ENDED).setEndReason(reason));
  }

  void report(String job, Consumer<AttemptReport.Builder> change) {
    AttemptReport.Builder report;
    synchronized (this) {
      report =
          Optional.ofNullable(ledger.get(job))
              .orElseThrow(() -> new AssertionError(node + " does not know " + job))
              .toBuilder();
    }
    change.accept(report);
    update(job, report.build());
  }

  private void update(String job, AttemptReport report) {
    Update update;
    synchronized (this) {
      ledger.put(job, report);
      update =
          Update.newBuilder().setSequence(sequence.incrementAndGet()).setReport(report).build();
      unacknowledged.put(update.getSequence(), update);
      spoken.add(update);
      if (holdsBack) {
        return;
      }
    }
    send(ConnectRequest.newBuilder().setUpdate(update).build());
  }

  /// Records the updates of these calls and sends none of them.
  void holdingBack(Runnable calls) {
    setHoldsBack(true);
    try {
      calls.run();
    } finally {
      setHoldsBack(false);
    }
  }

  private synchronized void setHoldsBack(boolean is) {
    holdsBack = is;
  }

  /// Sends recorded updates, in this order.
  void repeatEverything(List<Update> updates) {
    updates.forEach(update -> send(ConnectRequest.newBuilder().setUpdate(update).build()));
  }

  synchronized List<Update> unacknowledged() {
    return List.copyOf(unacknowledged.values());
  }

  // Orders received.

  synchronized List<Assign> assigns() {
    return heard.stream()
        .filter(ConnectResponse::hasAssign)
        .map(ConnectResponse::getAssign)
        .toList();
  }

  synchronized List<Stop> stops() {
    return heard.stream().filter(ConnectResponse::hasStop).map(ConnectResponse::getStop).toList();
  }

  synchronized List<ConnectResponse> heard() {
    return List.copyOf(heard);
  }

  synchronized boolean has(java.util.function.Predicate<ConnectResponse> what) {
    return heard.stream().anyMatch(what);
  }

  synchronized boolean isOver() {
    return isOver;
  }

  synchronized Optional<Throwable> failure() {
    return Optional.ofNullable(failure);
  }

  synchronized Map<String, AttemptReport> ledger() {
    return Map.copyOf(ledger);
  }

  Assign awaitAssign(String job) {
    awaitThat(() -> assigns().stream().anyMatch(assign -> id(assign.getJob()).equals(job)));
    return assigns().stream().filter(assign -> id(assign.getJob()).equals(job)).toList().getLast();
  }

  Stop awaitStop(String job) {
    awaitThat(() -> stops().stream().anyMatch(stop -> id(stop.getJob()).equals(job)));
    return stops().stream().filter(stop -> id(stop.getJob()).equals(job)).toList().getLast();
  }

  /// Sends heartbeats until the job runs.
  void awaitRunning(JobServiceBlockingStub jobs, String job) {
    awaitThat(() -> {
      heartbeat();
      return Installation.get(jobs, job).getState() == Job.State.STATE_RUNNING;
    });
  }

  void awaitAcknowledged() {
    awaitThat(() -> unacknowledged().isEmpty());
  }

  static void awaitThat(java.util.concurrent.Callable<Boolean> condition) {
    await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(condition);
  }

  static String id(String name) {
    return name.substring(name.lastIndexOf('/') + 1);
  }

  private void act(ConnectResponse response, boolean startsIt, boolean stopsIt) {
    switch (response.getMessageCase()) {
      case ASSIGN -> assigned(response.getAssign(), startsIt);
      case STOP -> stopped(response.getStop(), stopsIt);
      case RESUME -> running(id(response.getResume().getJob()));
      case ACKNOWLEDGE -> acknowledged(response.getAcknowledge().getSequence());
      case FORGET -> forget(response.getForget());
      case READ_LOGS -> logs(response.getReadLogs().getReadId());
      case WELCOME, NOT_LEADER, HEARTBEAT_REPLY, CANCEL_READ_LOGS, MESSAGE_NOT_SET -> {
        // Only heard.
      }
    }
  }

  private void hear(ConnectResponse response) {
    boolean startsIt;
    boolean stopsIt;
    boolean actsOnIt;
    synchronized (this) {
      actsOnIt = acts;
      if (!hears) {
        return;
      }
      startsIt = starts;
      stopsIt = stops;
    }
    if (actsOnIt) {
      act(response, startsIt, stopsIt);
    }
    synchronized (this) {
      // Last, so that a test that waits for the response finds it acted upon.
      heard.add(response);
    }
  }

  private void assigned(Assign assign, boolean startsIt) {
    String job = id(assign.getJob());
    AttemptReport known;
    synchronized (this) {
      known = ledger.get(job);
    }
    if (known != null && known.getAttempt() == assign.getAttempt()) {
      update(job, known);
      return;
    }
    AttemptReport fresh =
        AttemptReport.newBuilder()
            .setJob(assign.getJob())
            .setUid(assign.getUid())
            .setAttempt(assign.getAttempt())
            .setWorker(assign.getWorker())
            .setState(State.STATE_STARTING)
            .build();
    boolean endsIt;
    synchronized (this) {
      ledger.put(job, fresh);
      begun.merge(job + "#" + assign.getAttempt(), 1, Integer::sum);
      endsIt = finishes;
    }
    if (startsIt) {
      running(job);
    }
    if (endsIt) {
      exits(job, 0);
    }
  }

  private void stopped(Stop stop, boolean stopsIt) {
    String job = id(stop.getJob());
    AttemptReport known;
    synchronized (this) {
      known = ledger.get(job);
    }
    if (known != null && !known.getUid().equals(stop.getUid())) {
      // The order is for another job with this name; this ledger keeps one record per name.
      return;
    }
    if (known == null || known.getAttempt() != stop.getAttempt()) {
      update(
          job,
          AttemptReport.newBuilder()
              .setJob(stop.getJob())
              .setUid(stop.getUid())
              .setAttempt(stop.getAttempt())
              .setWorker(stop.getWorker())
              .setState(State.STATE_ENDED)
              .setEndReason(EndReason.END_REASON_LOST)
              .build());
    } else if (stopsIt && known.getState() != State.STATE_ENDED) {
      report(
          job,
          report ->
              report
                  .setState(State.STATE_STOPPING)
                  .setStopPhase("callback")
                  .setStopPhaseResult("ok"));
      ends(job, EndReason.END_REASON_STOPPED);
    }
  }

  private synchronized void acknowledged(long upTo) {
    unacknowledged.keySet().removeIf(each -> each <= upTo);
  }

  private synchronized void forget(Forget forget) {
    AttemptReport known = ledger.get(id(forget.getJob()));
    if (known != null
        && known.getAttempt() == forget.getAttempt()
        && known.getUid().equals(forget.getUid())) {
      ledger.remove(id(forget.getJob()));
    }
  }

  private void logs(String readId) {
    if (has(each -> each.getReadLogs().getReadId().equals(readId))) {
      return;
    }
    send(
        ConnectRequest.newBuilder()
            .setLogChunk(
                LogChunk.newBuilder()
                    .setReadId(readId)
                    .setStream(LogChunk.Stream.STREAM_STDOUT)
                    .setData(ByteString.copyFromUtf8("hello from " + node + "\n")))
            .build());
    send(
        ConnectRequest.newBuilder()
            .setLogChunk(LogChunk.newBuilder().setReadId(readId).setLast(true))
            .build());
  }

  @Override
  public void close() {
    disconnect();
  }

  private final class Ears implements ClientResponseObserver<ConnectRequest, ConnectResponse> {
    private @Nullable ClientCallStreamObserver<ConnectRequest> own;

    @Override
    public void beforeStart(ClientCallStreamObserver<ConnectRequest> call) {
      synchronized (FakeAgent.this) {
        own = call;
        stream = call;
      }
    }

    @Override
    public void onNext(ConnectResponse response) {
      if (isHeard()) {
        hear(response);
      }
    }

    @Override
    public void onError(Throwable cause) {
      ended(cause);
    }

    @Override
    public void onCompleted() {
      ended(null);
    }

    /// The end of a stream that another has followed says nothing of that one.
    private void ended(@Nullable Throwable cause) {
      synchronized (FakeAgent.this) {
        if (isHeard()) {
          failure = cause;
          isOver = true;
        }
      }
    }

    private boolean isHeard() {
      synchronized (FakeAgent.this) {
        return own == stream;
      }
    }
  }
}
