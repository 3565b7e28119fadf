package io.headgate.agent.runtime.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.Fixtures;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JobUsersTest {
  private static final int FIRST = 1_900_000_000;

  private final JobUsers users = new JobUsers(FIRST, 100);

  private static AttemptKey key(String job, int attempt, int worker) {
    AttemptKey first = Fixtures.key(job);
    return new AttemptKey(first.job(), first.uid(), attempt, worker);
  }

  @Test
  void noTwoLiveAttemptsAreOneUserWhateverComesAndGoes() {
    long seed = Long.getLong("headgate.seed", System.nanoTime());
    Random random = new Random(seed);
    Map<AttemptKey, Integer> live = new HashMap<>();
    for (int i = 0; i < 10_000; i++) {
      AttemptKey key = key("j" + random.nextInt(120), 1 + random.nextInt(3), 0);
      if (live.remove(key) != null) {
        users.free(key);
      } else {
        int running = live.size();
        users
            .take(key)
            .ifPresentOrElse(
                user -> live.put(key, user),
                () -> assertThat(running).as("seed %d", seed).isEqualTo(100));
      }
      assertThat(live.values()).as("seed %d", seed).doesNotHaveDuplicates();
    }
  }

  @Test
  void theWorkersOfOneAttemptAreOneUserAndItsNextAttemptAsARuleToo() {
    int first = users.take(key("gang", 1, 0)).orElseThrow();
    assertThat(users.take(key("gang", 1, 1))).hasValue(first);
    assertThat(users.take(key("gang", 2, 0)).orElseThrow())
        .as("while the first lives")
        .isNotEqualTo(first)
        .isBetween(FIRST, FIRST + 99);
    users.free(key("gang", 1, 0));
    users.free(key("gang", 2, 0));
    users.free(key("gang", 1, 1));
    assertThat(users.take(key("gang", 3, 0))).hasValue(first);
    assertThat(new JobUsers(FIRST, 100).take(key("gang", 9, 4))).hasValue(first);
  }

  @Test
  void givesNoUserThatWasTakenBeforeARestart() {
    int wished = users.take(key("a", 1, 0)).orElseThrow();
    JobUsers restarted = new JobUsers(FIRST, 100);
    restarted.found(key("b", 1, 0), wished);
    assertThat(restarted.take(key("a", 1, 0)).orElseThrow()).isNotEqualTo(wished);
  }
}
