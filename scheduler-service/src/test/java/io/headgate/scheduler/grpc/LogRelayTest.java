package io.headgate.scheduler.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.headgate.proto.agent.v1.LogChunk;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class LogRelayTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  private final LogRelay relay = new LogRelay(1);

  @Test
  void waitsForAReaderWhoHasNotTakenAllAlthoughNothingMoreComes() throws Exception {
    relay.take(chunk("out"));
    relay.take(LogChunk.newBuilder().setLast(true).build());
    // Asked twice: it is not ready when the last piece has come, and is woken when it waits.
    AtomicInteger asked = new AtomicInteger();
    BooleanSupplier isReady =
        () -> {
          if (asked.incrementAndGet() == 1) {
            CompletableFuture.runAsync(relay::wake);
          }
          return asked.get() > 1;
        };

    assertThat(relay.awaitReady(isReady, LONG)).isTrue();
    assertThat(asked).hasValueGreaterThan(1);
    assertThat(relay.next(LONG)).isPresent();
    assertThat(relay.isDrained()).isTrue();
  }

  @Test
  void doesNotWaitForAReaderWhoHasTakenAll() throws Exception {
    relay.take(LogChunk.newBuilder().setLast(true).build());

    assertThat(relay.awaitReady(() -> false, LONG)).isTrue();
  }

  @Test
  void saysThatTheTimeIsOver() throws Exception {
    relay.take(chunk("out"));

    assertThat(relay.awaitReady(() -> false, Duration.ZERO)).isFalse();
  }

  private static LogChunk chunk(String text) {
    return LogChunk.newBuilder().setData(ByteString.copyFromUtf8(text)).build();
  }
}
