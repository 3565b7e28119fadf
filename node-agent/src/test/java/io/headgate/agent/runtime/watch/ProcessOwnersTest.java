package io.headgate.agent.runtime.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.process.JobProcesses;
import io.headgate.kit.testing.TestClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ProcessOwnersTest {
  private static final AttemptKey OURS = Fixtures.key("ours");
  private static final Set<AttemptKey> CANDIDATES = Set.of(OURS);
  private static final long PID = ProcessHandle.current().pid();
  private static final long NOBODYS = 999_999_998;

  private final TestClock time = new TestClock();
  private final AtomicInteger asked = new AtomicInteger();
  private final ProcessOwners owners =
      new ProcessOwners(
          JobProcesses.ofContainers(_ -> {
            asked.incrementAndGet();
            return Optional.of(PID);
          }),
          time);

  private void look(Long... pids) {
    assertThat(owners.of(List.of(pids), CANDIDATES)).isEqualTo(Map.of(PID, OURS));
  }

  @Test
  void remembersWhoseAProcessIsForAsLongAsEachLookFindsIt() {
    for (int i = 0; i < 20; i++) {
      look(PID);
      time.advance(Duration.ofMillis(1200));
    }
    assertThat(asked).hasValue(1);
  }

  @Test
  void remembersForSomeLooksThatAProcessBelongsToNoJob() {
    for (int i = 0; i < 8; i++) {
      look(PID, NOBODYS);
    }
    assertThat(asked).hasValue(1);
    look(PID, NOBODYS);
    assertThat(asked).hasValue(2);
  }

  @Test
  void asksAgainForOneThatALookDidNotFind() {
    look(PID);
    assertThat(owners.of(List.of(), CANDIDATES)).isEmpty();
    look(PID);
    assertThat(asked).as("its number may be another's").hasValue(2);
  }

  @Test
  void asksAgainAfterATimeWithoutLooks() {
    look(PID);
    time.advance(Duration.ofSeconds(6));
    look(PID);
    assertThat(asked).as("its number may be another's").hasValue(2);
  }

  @Test
  void asksAgainWhenItIsToldToOrMayBeOthers() {
    look(PID);
    owners.forget();
    look(PID);
    assertThat(asked).hasValue(2);
    assertThat(owners.of(List.of(PID), Set.of())).isEmpty();
    look(PID);
    assertThat(asked).as("somebody else may have it").hasValue(3);
  }
}
