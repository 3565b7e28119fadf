package io.headgate.kit.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class LifecycleTest {
  private final List<String> events = new CopyOnWriteArrayList<>();
  private final Lifecycle lifecycle = new Lifecycle(Duration.ofSeconds(60));

  @Test
  void stopsInReverseOrderOfStart() {
    start("database");
    start("service");
    lifecycle.own("server", () -> events.add("-server"));
    lifecycle.close();
    assertThat(events).containsExactly("+database", "+service", "-server", "-service", "-database");
    assertThat(lifecycle.failures()).isEmpty();
  }

  @Test
  void stopsOnlyOnce() {
    start("database");
    lifecycle.close();
    lifecycle.close();
    assertThat(events).containsExactly("+database", "-database");
  }

  @Test
  void aSecondCallerWaitsForTheFirst() throws Exception {
    CountDownLatch stopping = new CountDownLatch(1);
    CountDownLatch mayStop = new CountDownLatch(1);
    lifecycle.own(
        "slow",
        () -> {
          stopping.countDown();
          mayStop.await();
          events.add("-slow");
        });
    Thread first = Thread.ofVirtual().start(lifecycle::close);
    stopping.await();
    Thread second =
        Thread.ofVirtual()
            .start(() -> {
              lifecycle.close();
              events.add("second returned");
            });
    mayStop.countDown();
    first.join();
    second.join();
    assertThat(events).containsExactly("-slow", "second returned");
  }

  @Test
  void aFailedStartStopsWhatRuns() {
    start("database");
    assertThatThrownBy(() ->
            lifecycle.start(
                "server",
                () -> {
                  throw new IllegalStateException("port taken");
                },
                () -> events.add("-server")))
        .hasMessage("port taken");
    assertThat(events).containsExactly("+database", "-database");
  }

  @Test
  void aFailingStopDoesNotKeepTheRestFromStopping() {
    start("database");
    lifecycle.own(
        "service",
        () -> {
          throw new IllegalStateException("no");
        });
    lifecycle.close();
    assertThat(events).containsExactly("+database", "-database");
    assertThat(lifecycle.failures())
        .singleElement()
        .satisfies(failure -> assertThat(failure.part()).isEqualTo("service"));
  }

  @Test
  void aHangingStopIsLeftBehindAfterTheBoundAndShowsWhereItHangs() {
    // Enough for the one that does not hang, and for the other to come to where it hangs.
    Lifecycle impatient = new Lifecycle(Duration.ofSeconds(6));
    CountDownLatch never = new CountDownLatch(1);
    impatient.own("database", () -> events.add("-database"));
    impatient.own("service", never::await);
    impatient.close();
    assertThat(events).containsExactly("-database");
    assertThat(impatient.failures().getFirst().cause())
        .hasMessageContaining("service did not stop within")
        .hasStackTraceContaining("CountDownLatch.await");
  }

  @Test
  void whatStartsWhileStoppingIsStoppedAtOnce() {
    lifecycle.close();
    assertThatThrownBy(() -> start("late")).hasMessageContaining("late is not started");
    assertThatThrownBy(() -> lifecycle.own("later", () -> events.add("-later")))
        .isInstanceOf(IllegalStateException.class);
    assertThat(events).containsExactly("-later");
  }

  @Test
  void whatStartsTogetherKeepsWhatItNeedsUntilTheNextPart() throws Exception {
    start("database");
    Thread[] signal = new Thread[1];

    assertThatThrownBy(() ->
            lifecycle.startTogether(() -> {
              signal[0] = Thread.ofVirtual().start(lifecycle::close);
              await().until(lifecycle::isStopping);
              events.add("server reads the database");
              return lifecycle.own("server", () -> events.add("-server"));
            }))
        .hasMessage("server was started while stopping");
    signal[0].join();
    assertThat(events)
        .containsExactly("+database", "server reads the database", "-server", "-database");
  }

  @Test
  void aPartMayAskForTheStopThatItIsIn() {
    lifecycle.own("service", lifecycle::close);
    lifecycle.close();
    assertThat(lifecycle.failures()).isEmpty();
  }

  private void start(String name) {
    lifecycle.start(name, () -> events.add("+" + name), () -> events.add("-" + name));
  }
}
