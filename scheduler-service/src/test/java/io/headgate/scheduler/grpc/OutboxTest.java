package io.headgate.scheduler.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.stub.ServerCallStreamObserver;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.agent.v1.ConnectResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// The messages that wait for a slow agent are bounded.
final class OutboxTest {
  private final Reader reader = new Reader();
  private final AtomicInteger tooSlow = new AtomicInteger();
  private final Outbox outbox =
      new Outbox(reader, Runnable::run, new ReentrantLock(), tooSlow::incrementAndGet);

  @Test
  void moreThanFourMebibytesDoNotWait() {
    IntStream.range(0, 4).forEach(i -> outbox.send(word(i)));
    assertThat(tooSlow).hasValue(0);
    outbox.send(word(4));
    assertThat(tooSlow).hasValue(1);
    assertThat(reader.read).isEmpty();
  }

  @Test
  void whatWaitsIsSentInOrderOnceItIsRead() {
    IntStream.range(0, 4).forEach(i -> outbox.send(word(i)));
    reader.isReading = true;
    outbox.flush();
    IntStream.range(4, 12).forEach(i -> outbox.send(word(i)));
    assertThat(reader.read).isEqualTo(IntStream.range(0, 12).mapToObj(i -> word(i)).toList());
    assertThat(tooSlow).as("what was read counts no more").hasValue(0);
  }

  /// A mebibyte less something.
  private static ConnectResponse word(int attempt) {
    return ConnectResponse.newBuilder()
        .setAssign(
            Assign.newBuilder()
                .setAttempt(attempt)
                .setQueue(ByteString.copyFrom(new byte[(1 << 20) - 64]).toStringUtf8()))
        .build();
  }

  /// An agent's end of the stream.
  private static final class Reader extends ServerCallStreamObserver<ConnectResponse> {
    private final List<ConnectResponse> read = new ArrayList<>();
    private boolean isReading;

    @Override
    public boolean isReady() {
      return isReading;
    }

    @Override
    public void onNext(ConnectResponse word) {
      read.add(word);
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public void setOnCancelHandler(Runnable then) {}

    @Override
    public void setOnReadyHandler(Runnable then) {}

    @Override
    public void setCompression(String name) {}

    @Override
    public void setMessageCompression(boolean isOn) {}

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
