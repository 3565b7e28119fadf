package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.job.JobState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// A guest on full nodes that lies about checkpoints, when an owner's job needs room: made-up
/// clusters, by seed, once with the lie and once without (T23).
class LyingVictimTest {
  private static final int CLUSTERS = 500;

  private enum Lie {
    NONE,
    /// It says now that it has saved everything, so that little seems lost.
    ALWAYS_SAVED,
    /// It never says that it saved, so that much seems lost.
    NEVER_SAVED
  }

  /// The end of one run.
  private record Outcome(boolean starts, List<String> victims, String liar) {}

  private static Outcome play(long seed, Lie lie) {
    Random random = new Random(seed);
    Driver it =
        new Driver(
            new TenantBuilder()
                .pool("pool", "two", "one")
                .profile("one", "1", "pool")
                .profile("two", "2", "pool")
                .profile("wanted", Integer.toString(3 + random.nextInt(2)), "pool")
                .policy("guests", "0", "24")
                .policy("owners", "8", "24")
                .queue("g1", "guests", "one", 1)
                .queue("g2", "guests", "two", 1)
                .queue("o", "owners", "wanted", 1));
    int nodes = 1 + random.nextInt(2);
    for (int i = 0; i < nodes; i++) {
      it.join(Driver.node("n" + i, "pool", 4 + random.nextInt(5)));
    }
    List<String> guests = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      guests.add("guest" + i);
      it.submit(random.nextInt(3) == 0 ? "g2" : "g1", "guest" + i).run();
      it.after(Duration.ofSeconds(random.nextInt(60)));
    }
    List<String> running =
        guests.stream().filter(job -> it.core.attempt(it.id(job)).isPresent()).toList();
    // The jobs that started last are due first.
    String liar = running.get(running.size() - 1 - random.nextInt(Math.min(3, running.size())));
    for (String job : running) {
      it.after(Duration.ofSeconds(random.nextInt(60)));
      boolean isSaved = random.nextInt(4) > 0;
      if (isSaved && !(job.equals(liar) && lie == Lie.NEVER_SAVED)) {
        it.decide(new Input.AttemptCheckpointed(it.attemptId(job), it.now));
      }
    }
    if (lie == Lie.ALWAYS_SAVED) {
      it.decide(new Input.AttemptCheckpointed(it.attemptId(liar), it.now));
    }
    it.forget().after(Duration.ofSeconds(1)).submit("o", "owner");
    List<String> victims = it.stopped();
    it.stopAll();
    return new Outcome(it.state("owner") == JobState.ASSIGNED, victims, liar);
  }

  /// The lie is a last tie-break: it may decide which of equally many victims stop. It makes no
  /// victim more, and the owner's job starts either way.
  @Test
  void aLieAboutCheckpointsOnlyChoosesAmongEquallyManyVictims() {
    int chosen = 0;
    for (long seed = 1; seed <= CLUSTERS; seed++) {
      Outcome honest = play(seed, Lie.NONE);
      for (Lie lie : List.of(Lie.ALWAYS_SAVED, Lie.NEVER_SAVED)) {
        Outcome lied = play(seed, lie);
        assertThat(lied.starts()).as("seed %d, %s", seed, lie).isEqualTo(honest.starts());
        assertThat(lied.victims()).as("seed %d, %s", seed, lie).hasSameSizeAs(honest.victims());
        Set<String> others = new TreeSet<>(lied.victims());
        others.removeAll(honest.victims());
        if (!others.isEmpty()) {
          chosen++;
          boolean isSpared = honest.victims().contains(lied.liar());
          assertThat(isSpared ^ others.contains(lied.liar()))
              .as("seed %d, %s: only the liar changes places with others", seed, lie)
              .isTrue();
        }
      }
    }
    assertThat(chosen).as("clusters in which a lie chose a victim").isGreaterThan(10);
  }

  /// A job that says it has just saved is a victim before its equals, never after them.
  @Test
  void whoSaysThatItSavedIsNeverSparedForThat() {
    for (long seed = 1; seed <= CLUSTERS; seed++) {
      Outcome honest = play(seed, Lie.NONE);
      Outcome lied = play(seed, Lie.ALWAYS_SAVED);
      if (honest.victims().contains(honest.liar())) {
        assertThat(lied.victims()).as("seed %d", seed).contains(lied.liar());
      }
    }
  }
}
