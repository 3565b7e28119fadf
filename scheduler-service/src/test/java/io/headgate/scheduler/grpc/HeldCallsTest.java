package io.headgate.scheduler.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.scheduler.runtime.leadership.TakeoverWaiters;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// How much may wait for a new leader; `LoadingLeaderTest` has what becomes of it.
final class HeldCallsTest {
  private static final SubmitJobRequest REQUEST =
      SubmitJobRequest.newBuilder().setParent("tenants/acme").build();
  private static final Duration LONG = Duration.ofMinutes(1);

  @Test
  void holdsSoManyCallsAndNoMore() {
    HeldCalls held = new HeldCalls(new TakeoverWaiters(), 2, 1000, LONG);
    assertThat(held.enter(REQUEST)).isTrue();
    assertThat(held.enter(REQUEST)).isTrue();
    assertThat(held.enter(REQUEST)).isFalse();
    held.leave(REQUEST);
    assertThat(held.enter(REQUEST)).isTrue();
    assertThat(held.size()).isEqualTo(2);
  }

  @Test
  void holdsSoManyBytesAndNoMore() {
    int size = REQUEST.getSerializedSize();
    HeldCalls held = new HeldCalls(new TakeoverWaiters(), 100, 2 * size + 1, LONG);
    assertThat(held.enter(REQUEST)).isTrue();
    assertThat(held.enter(REQUEST)).isTrue();
    assertThat(held.enter(REQUEST)).isFalse();
    held.leave(REQUEST);
    held.leave(REQUEST);
    assertThat(held.enter(REQUEST)).isTrue();
  }
}
