package io.headgate.kit.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class HeavyThreadsTest {
  private final HeavyThreads threads = new HeavyThreads("test-heavy", 1);

  @Test
  void theCallerGetsWhatTheWorkThrew() throws Exception {
    RuntimeException thrown = new IllegalArgumentException("wrong");
    assertThatThrownBy(() -> threads.call(() -> fail(thrown))).isSameAs(thrown);
    assertThat(threads.call(() -> "the next")).isEqualTo("the next");
  }

  private static String fail(RuntimeException failure) {
    throw failure;
  }

  @Test
  void anInterruptOfTheCallerEndsTheWork() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    Thread caller =
        Thread.ofVirtual()
            .start(() -> {
              try {
                var _ = threads.call(() -> awaitInterrupt(begun, ended));
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    begun.await();
    caller.interrupt();
    caller.join();
    ended.await();
  }

  private static boolean awaitInterrupt(CountDownLatch begun, CountDownLatch ended) {
    begun.countDown();
    try {
      new CountDownLatch(1).await();
      return false;
    } catch (InterruptedException e) {
      ended.countDown();
      return true;
    }
  }
}
