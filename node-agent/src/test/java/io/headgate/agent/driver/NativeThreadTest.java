package io.headgate.agent.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class NativeThreadTest {
  private static final int ROOM = 256;

  @Test
  void refusesCallsWhenManyWaitForOneThatHangs() {
    CompletableFuture<Integer> hanging = new CompletableFuture<>();
    try (NativeThread thread = new NativeThread("GPU 0", Duration.ofMillis(20))) {
      CompletableFuture<Integer> first = thread.post(hanging::join);
      assertThatExceptionOfType(GpuDriverException.class)
          .isThrownBy(() -> thread.call(() -> 2))
          .withMessage("GPU 0 has not answered for 0.02 s");
      for (int i = 1; i < ROOM; i++) {
        var _ = thread.post(() -> 3);
      }
      assertThatExceptionOfType(GpuDriverException.class)
          .isThrownBy(() -> thread.post(() -> 4))
          .withMessage("GPU 0 no longer answers calls");
      assertThatExceptionOfType(GpuDriverException.class)
          .isThrownBy(() -> thread.call(() -> 5))
          .withMessage("GPU 0 no longer answers calls");
      hanging.complete(1);
      assertThat(first.join()).isEqualTo(1);
    }
  }
}
