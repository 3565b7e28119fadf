package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.ConnectRequest;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.agent.v1.Hello;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.grpc.AgentSessions;
import io.headgate.scheduler.grpc.OpenedSession;
import io.headgate.scheduler.runtime.desk.Command;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// An agent said Hello to a scheduler that was about to lead, and its stream ends just when the
/// scheduler takes the Hello.
final class ResumedSessionTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final NodeId NODE = OneLeader.MACHINES.getFirst();

  private final OneLeader one = new OneLeader();
  private final Leader leader = new Leader(one.start, one.ports, one.state(), one.lease, _ -> {});
  private final LeaderDoor door = new LeaderDoor("a:1");
  private final AgentSessions sessions = new AgentSessions();
  private final Stream stream = new Stream();
  private final StreamObserver<ConnectRequest> agent =
      OpenedSession.open(NODE, stream, door, new EndingClock(), sessions);

  @Test
  void anEndDuringAHeldHelloLeavesNoSession() throws InterruptedException {
    door.holdCallers();
    agent.onNext(
        ConnectRequest.newBuilder()
            .setHello(
                Hello.newBuilder()
                    .setNode("tenants/%s/nodes/%s".formatted(NODE.tenant().name(), NODE.name()))
                    .setProtocolVersion(1))
            .build());
    assertThat(leader.take()).as("the Hello waits").isEmpty();

    door.open(leader);

    assertThat(stream.ended)
        .as("the stream ended on its own thread, without waiting for the Hello")
        .isCompletedWithValue(true);
    assertThat(sessions.count()).isZero();
    List<Command> commands = leader.take();
    assertThat(commands).hasAtLeastOneElementOfType(Command.Hello.class);
    assertThat(commands)
        .as("whatever came before it, the leader hears of the end last")
        .last()
        .isInstanceOf(Command.SessionEnded.class);
  }

  /// Ends the stream, on another thread, when the session reads the time: between the leader's
  /// answer and the beginning of the session.
  private final class EndingClock implements TimeSource {
    @Override
    public Instant instant() {
      return one.time.instant();
    }

    @Override
    public long monotonicNanos() {
      stream.end();
      return one.time.monotonicNanos();
    }
  }

  private static final class Stream extends ServerCallStreamObserver<ConnectResponse> {
    private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
    private Runnable cancelled = () -> {};

    void end() {
      Thread gone = Thread.ofVirtual().start(cancelled);
      try {
        ended.complete(gone.join(PATIENCE));
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void setOnCancelHandler(Runnable then) {
      cancelled = then;
    }

    @Override
    public boolean isCancelled() {
      return ended.isDone();
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void onNext(ConnectResponse message) {}

    @Override
    public void setOnReadyHandler(Runnable then) {}

    @Override
    public void setOnCloseHandler(Runnable then) {}

    @Override
    public void setCompression(String name) {}

    @Override
    public void setMessageCompression(boolean isOn) {}

    @Override
    public void disableAutoRequest() {}

    @Override
    public void disableAutoInboundFlowControl() {}

    @Override
    public void request(int count) {}

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onCompleted() {}
  }
}
