package io.headgate.scheduler.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.config.Default;
import io.headgate.kit.config.Setting;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.CallOrigin;
import io.headgate.kit.grpc.FairBound;
import io.headgate.proto.scheduler.v1.ReadJobLogsRequest;
import io.headgate.proto.scheduler.v1.ReadJobLogsResponse;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.agent.AgentCommand;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.JobRecord;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/// Relays what jobs print from their agents to readers, each on a virtual thread of its own, with
/// back-pressure from the reader to the agent.
public final class LogReads {
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration LOOK = Duration.ofSeconds(5);

  /// Pieces of output after which the caller's rights are looked at again: 4 MiB at most.
  private static final int PIECES_BETWEEN_LOOKS = 64;

  /// A reader that takes nothing for this long is cut.
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final int ATTEMPTS = 1000;

  private final JobReader reader;
  private final AgentSessions sessions;
  private final FairBound readers;

  /// How many read at a time. Each holds up to 256 KiB of output that its client has not taken.
  public record Limits(
      @Setting(
              meaning =
                  "Concurrent readers of output, each with up to 256 KiB in memory. A caller may "
                      + "also have only as many as are free, a tenant twice as many.",
              bound = "at least 1")
          @Default("256")
          int maxReaders,
      @Setting(meaning = "Concurrent readers of one tenant.", bound = "at least 1") @Default("128")
          int perTenant,
      @Setting(meaning = "Concurrent readers of one caller.", bound = "at least 1") @Default("64")
          int perCaller) {
    public static final Limits DEFAULTS = new Limits(256, 128, 64);

    public Limits {
      if (maxReaders < 1 || perTenant < 1 || perCaller < 1) {
        throw new IllegalArgumentException(
            "max-readers, per-tenant and per-caller: at least 1, not %d, %d and %d"
                .formatted(maxReaders, perTenant, perCaller));
      }
    }
  }

  /// Reads from the agents' open streams.
  public LogReads(JobReader reader, AgentSessions sessions, Limits limits) {
    this.reader = reader;
    this.sessions = sessions;
    this.readers =
        new FairBound(
            new FairBound.Limits(
                limits.maxReaders(), limits.perTenant(), limits.perCaller(), Long.MAX_VALUE));
  }

  /// @param isSeen whether the caller may see the job now; asked again and again while it reads
  void read(
      JobRecord job,
      ReadJobLogsRequest request,
      BooleanSupplier isSeen,
      StreamObserver<ReadJobLogsResponse> out) {
    AttemptRecord attempt = attempt(job, request.getAttempt());
    if (request.getWorker() >= attempt.workers().size()) {
      throw Refusal.invalidField(
              "WORKER_NOT_FOUND",
              "worker",
              "there is no worker %d: the job has %d, counted from 0"
                  .formatted(request.getWorker(), attempt.workers().size()))
          .exception();
    }
    NodeId node = attempt.attempt().assignment().workers().get(request.getWorker()).node();
    GrpcAgentSession session =
        sessions
            .find(node)
            .orElseThrow(() ->
                Refusal.unavailable(
                        "NODE_UNREACHABLE",
                        "%s, where it printed, is out of contact; try again later"
                            .formatted(node.name()),
                        RETRY)
                    .withMetadata("node", node.name())
                    .exception());
    CallOrigin origin = CallOrigin.current();
    readers
        .enter(origin, 1)
        .ifPresent(excess -> {
          throw tooMany(excess).exception();
        });
    AgentCommand.ReadLogs command =
        new AgentCommand.ReadLogs(
            UUID.randomUUID().toString(),
            job.worker(attempt.id(), request.getWorker()),
            request.getFollow(),
            request.getTailBytes(),
            LogRelay.WINDOW_BYTES);
    LogRelay relay = new LogRelay(attempt.id().number());
    ServerCallStreamObserver<ReadJobLogsResponse> call =
        (ServerCallStreamObserver<ReadJobLogsResponse>) out;
    call.setOnCancelHandler(relay::stop);
    call.setOnReadyHandler(relay::wake);
    Thread.ofVirtual()
        .name("logs-" + job.name().id())
        .start(() -> {
          try {
            relay(session, command, relay, new Reader(job.name(), isSeen, call));
          } finally {
            readers.leave(origin, 1);
          }
        });
  }

  private static Refusal tooMany(FairBound.Excess excess) {
    return Refusal.exhausted(
            "TOO_MANY_READERS",
            "%s has %d readers of output open and may have %d now; close some or try again later"
                .formatted(excess.holder(), excess.held(), excess.most()),
            RETRY)
        .withMetadata("readers", excess.held())
        .withMetadata("limit", excess.most());
  }

  private AttemptRecord attempt(JobRecord job, int number) {
    if (job.job().array().isPresent()) {
      throw Refusal.failedPrecondition(
              "IS_ARRAY",
              "%s is an array, and each of its %d elements has its own output: name one, such as %s"
                  .formatted(
                      job.name().id(), job.job().array().get().size(), job.name().element(1).id()))
          .exception();
    }
    List<AttemptRecord> attempts = reader.attempts(job.id(), number == 0 ? 1 : ATTEMPTS);
    Optional<AttemptRecord> found =
        attempts.reversed().stream()
            .filter(attempt -> number == 0 || attempt.id().number() == number)
            .findFirst();
    return found.orElseThrow(() ->
        (number == 0
                ? Refusal.failedPrecondition(
                    "NOT_STARTED",
                    job.name().id()
                        + (job.state().isTerminal()
                            ? " was never started: it printed nothing"
                            : " has not started yet; why: headgate explain " + job.name().id()))
                : Refusal.notFound(
                    "ATTEMPT_NOT_FOUND",
                    "%s has no attempt %d, its last is %d"
                        .formatted(job.name().id(), number, job.job().attempts())))
            .exception());
  }

  /// The caller that reads a job's output.
  private record Reader(
      JobName job, BooleanSupplier isSeen, ServerCallStreamObserver<ReadJobLogsResponse> out) {}

  private void relay(
      GrpcAgentSession session, AgentCommand.ReadLogs command, LogRelay relay, Reader reader) {
    ServerCallStreamObserver<ReadJobLogsResponse> out = reader.out();
    try {
      session.read(relay, command);
      pump(session, command, relay, reader);
      if (!out.isCancelled()) {
        out.onCompleted();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      if (!out.isCancelled()) {
        out.onError(e);
      }
    } finally {
      session.cancelRead(command.readId());
    }
  }

  private static void pump(
      GrpcAgentSession session, AgentCommand.ReadLogs command, LogRelay relay, Reader reader)
      throws InterruptedException {
    ServerCallStreamObserver<ReadJobLogsResponse> out = reader.out();
    long taken = 0;
    int pieces = 0;
    while (!out.isCancelled()) {
      awaitReady(relay, out);
      Optional<ReadJobLogsResponse> piece = relay.next(LOOK);
      // Rights may go while output comes, and while none comes.
      if ((piece.isEmpty() || ++pieces % PIECES_BETWEEN_LOOKS == 0)
          && !reader.isSeen().getAsBoolean()) {
        throw Names.jobNotFound(reader.job()).exception();
      }
      if (piece.isEmpty()) {
        if (relay.isDrained()) {
          return;
        }
        continue;
      }
      out.onNext(piece.get());
      taken += piece.get().getData().size();
      if (taken >= LogRelay.WINDOW_BYTES / 2) {
        session.send(
            new AgentCommand.ReadLogs(
                command.readId(), command.worker(), command.follow(), command.tailBytes(), taken));
        taken = 0;
      }
    }
  }

  private static void awaitReady(LogRelay relay, ServerCallStreamObserver<ReadJobLogsResponse> out)
      throws InterruptedException {
    if (!relay.awaitReady(() -> out.isReady() || out.isCancelled(), PATIENCE)) {
      throw Refusal.unavailable(
              "READER_TOO_SLOW", "nothing was read for " + PATIENCE.toSeconds() + " s", RETRY)
          .exception();
    }
  }
}
