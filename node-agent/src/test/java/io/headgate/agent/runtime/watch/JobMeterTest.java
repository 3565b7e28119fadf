package io.headgate.agent.runtime.watch;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.process.JobUsage;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/// The resource usage of jobs, counted per slot so that metrics need no attribute per job.
class JobMeterTest {
  private static final Assignment A = Fixtures.assignment("a");
  private static final Assignment B = Fixtures.assignment("b");
  private final Map<AttemptKey, JobUsage> machine = new HashMap<>();
  private final JobMeter meter =
      new JobMeter(asked -> {
        Map<AttemptKey, JobUsage> answer = new HashMap<>(machine);
        answer.keySet().retainAll(asked);
        return answer;
      });

  private static JobMeter.Slot slot(int number) {
    return new JobMeter.Slot(A.key().job().tenant(), A.queue(), number);
  }

  private void takes(Assignment job, long cpuNanos, long memoryBytes, long oomKills) {
    machine.put(job.key(), new JobUsage(cpuNanos, memoryBytes, oomKills));
  }

  @Test
  void tellsJobsByTheirSlots() {
    meter.began(A);
    meter.began(B);
    meter.began(A);
    takes(A, 10, 100, 0);
    takes(B, 20, 200, 1);

    assertThat(meter.read())
        .containsOnly(
            Map.entry(slot(0), new JobUsage(10, 100, 0)),
            Map.entry(slot(1), new JobUsage(20, 200, 1)));
  }

  @Test
  void countsOnWithTheNextJobOfASlot() {
    meter.began(A);
    takes(A, 10, 100, 0);
    assertThat(meter.read()).containsOnly(Map.entry(slot(0), new JobUsage(10, 100, 0)));
    takes(A, 15, 90, 2);
    meter.ended(A.key());
    machine.clear();
    assertThat(meter.read())
        .as("with what it took since it was read last")
        .containsOnly(Map.entry(slot(0), new JobUsage(15, 0, 2)));

    meter.began(B);
    takes(B, 7, 50, 0);
    assertThat(meter.read()).containsOnly(Map.entry(slot(0), new JobUsage(22, 50, 2)));
  }

  @Test
  void noJobWaitsForAReading() {
    AtomicReference<JobMeter> itself = new AtomicReference<>();
    JobMeter slow =
        new JobMeter(asked -> {
          CompletableFuture.runAsync(() -> itself.get().began(B)).orTimeout(10, SECONDS).join();
          return machine;
        });
    itself.set(slow);
    slow.began(A);
    takes(A, 10, 100, 0);
    takes(B, 20, 200, 0);

    assertThat(slow.read()).containsKeys(slot(0), slot(1));
  }

  @Test
  void neverCountsDown() {
    meter.began(A);
    takes(A, 10, 100, 0);
    assertThat(meter.read()).hasSize(1);
    takes(A, 4, 100, 0);
    assertThat(meter.read()).containsOnly(Map.entry(slot(0), new JobUsage(10, 100, 0)));
  }
}
