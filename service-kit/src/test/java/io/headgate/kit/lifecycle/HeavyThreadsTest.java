package io.headgate.kit.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class HeavyThreadsTest {
  private final HeavyThreads threads = HeavyThreads.ofLowPriority("test-heavy", 1);

  @Test
  @EnabledOnOs(OS.LINUX)
  void thoseOfLowPriorityHaveItAndOthersKeepTheirs() throws Exception {
    int before = niceness();
    assertThat(threads.call(HeavyThreadsTest::niceness)).isEqualTo(HeavyThreads.LOW);
    assertThat(niceness()).isEqualTo(before);
  }

  /// The 19th field of the thread's line; the second one is in parentheses and may have spaces.
  private static int niceness() {
    try {
      String line = Files.readString(Path.of("/proc/thread-self/stat"));
      return Integer.parseInt(line.substring(line.lastIndexOf(')') + 2).split(" ")[16]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void theOthersHaveTheOrdinaryPriority() throws Exception {
    assertThat(new HeavyThreads("test-ordinary", 1).call(HeavyThreadsTest::niceness))
        .isEqualTo(niceness());
  }

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
