package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.PreemptWithin;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.JobState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// `preemptAfter` (P2): a job waits for this time before it preempts.
class PreemptAfterTest {
  private static final Duration AFTER = Duration.ofMinutes(5);

  private static TenantBuilder tenant() {
    return new TenantBuilder()
        .pool("pool")
        .profile("one", "1", "pool")
        .policy("guest", "0", "4")
        .policy("owner", "2", "2")
        .changePolicy("owner", p -> p.with().preemptAfter(AFTER).build())
        .queue("guest", "guest", "one", 1)
        .queue("owner", "owner", "one", 1);
  }

  private static Driver full() {
    return full(tenant());
  }

  private static Driver full(TenantBuilder tenant) {
    return new Driver(tenant)
        .join(Driver.node("n", "pool", 2))
        .submit("guest", "g0", "g1")
        .settle()
        .forget();
  }

  @Test
  void takesNothingBeforeItHasWaited() {
    Driver it = full().submit("owner", "mine");
    assertThat(it.stopped()).isEmpty();
    it.after(AFTER.minusNanos(1)).pass();
    assertThat(it.stopped()).isEmpty();
    it.after(Duration.ofNanos(1)).pass();
    assertThat(it.stopped()).containsExactly("g1");
  }

  @Test
  void thePassIsDueAtThatTime() {
    Driver it = full().submit("owner", "mine");
    assertThat(it.wakeAt).contains(it.now.plus(AFTER));
  }

  @Test
  void itStartsAtOnceOnWhatIsFree() {
    Driver it = full().exit("g0", 0).submit("owner", "mine");
    assertThat(it.state("mine")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void countsFromTheLastTimeThatItBeganToWait() {
    Driver it =
        new Driver(tenant())
            .join(Driver.node("n", "pool", 1), Driver.node("o", "pool", 1))
            .submit("guest", "g0", "g1")
            .settle()
            .submit("owner", "mine")
            .after(AFTER)
            .pass()
            .settle()
            .after(Duration.ofHours(1));
    Attempt lost = it.attempt("mine");
    it.forget()
        .decide(
            new Input.NodeRemoved(lost.assignment().workers().getFirst().node()),
            new Input.WorkerLost(lost.id(), 0));
    assertThat(it.state("mine")).isEqualTo(JobState.WAITING);
    assertThat(it.stopped()).isEmpty();
    it.after(AFTER).pass();
    assertThat(it.stopped()).containsExactly("g0");
  }

  @Test
  void bindsPreemptionWithinThePolicy() {
    TenantBuilder tenant =
        tenant()
            .changePolicy(
                "guest",
                p ->
                    p.with()
                        .preemptWithin(PreemptWithin.LOWER_PRIORITY)
                        .preemptAfter(AFTER)
                        .build());
    Driver it = full(tenant);
    it.submit(it.prior("urgent", "guest", 1));
    assertThat(it.stopped()).isEmpty();
    it.after(AFTER).pass();
    assertThat(it.stopped()).containsExactly("g1");
  }

  @Test
  void aJobThatMayNotPreemptYetSaysNothingAboutOthers() {
    TenantBuilder tenant = tenant().policy("third", "1", "1").queue("third", "third", "one", 2);
    Driver it = full(tenant).submit("owner", "mine").submit("third", "other");
    assertThat(it.stopped()).containsExactly("g1");
    assertThat(it.core.hold(it.id("other"))).isPresent();
  }

  /// The limit has no room until `mine` has stopped. Then `first` starts, not `behind`.
  @Test
  void theJobsBehindItWaitWithItForRoomInALimit() {
    TenantBuilder tenant =
        tenant()
            .policy("owner", "1", "1")
            .changePolicy(
                "owner",
                p ->
                    p.with()
                        .preemptWithin(PreemptWithin.LOWER_PRIORITY)
                        .preemptAfter(AFTER)
                        .build());
    Driver it = new Driver(tenant).join(Driver.node("n", "pool", 1));
    it.submit("owner", "mine", "behind").settle().after(AFTER).pass();
    it.submit(it.prior("first", "owner", 1)).cancel("mine");
    assertThat(it.core.hold(it.id("behind"))).isEmpty();
    it.settle();
    assertThat(it.state("first")).isEqualTo(JobState.RUNNING);
  }
}
