package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.node.NodeStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// A job that lost its place by P7, P9 or P10 does not preempt by these rules until something
/// happens in its pool from outside.
class BarsTest {
  /// The place of `mid` was taken by P7.
  private static Driver outranked() {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("pool")
            .pool("other")
            .profile("one", "1", "pool")
            .changeProfile("one", p -> p.with().reclaim(Reclaim.RANK).build())
            .profile("far", "1", "other")
            .policy("low", "0", "4")
            .policy("mid", "0", "4")
            .policy("high", "0", "4")
            .queue("low", "low", "one", 3)
            .queue("mid", "mid", "one", 2)
            .queue("high", "high", "one", 1)
            .queue("far", "high", "far", 1);
    Driver it =
        new Driver(tenant)
            .join(Driver.node("n", "pool", 1), Driver.node("o", "other", 1))
            .submit("mid", "mid")
            .settle()
            .submit("high", "high")
            .settle();
    return it.forget();
  }

  @Test
  void theVictimWaits() {
    Driver it = outranked();
    assertThat(it.core.state().barred()).hasSize(1);
    it.after(Duration.ofHours(1)).pass();
    assertThat(it.core.state().barred()).hasSize(1);
  }

  @Test
  void aCopyKeepsTheBar() {
    assertThat(outranked().core.copy().state().barred()).hasSize(1);
  }

  @Test
  void aSubmissionInThePoolFreesIt() {
    Driver it = outranked().submit("low", "more");
    assertThat(it.core.state().barred()).isEmpty();
  }

  @Test
  void aSubmissionInAnotherPoolDoesNot() {
    Driver it = outranked().submit("far", "more");
    assertThat(it.core.state().barred()).hasSize(1);
  }

  @Test
  void aCancellationFreesIt() {
    assertThat(outranked().cancel("high").core.state().barred()).isEmpty();
  }

  @Test
  void anEndThatNobodyAskedForFreesIt() {
    assertThat(outranked().exit("high", 1).core.state().barred()).isEmpty();
  }

  @Test
  void aChangedNodeFreesIt() {
    Driver it = outranked().join(Driver.node("m", "pool", 1, 0, NodeStatus.DRAINING));
    assertThat(it.core.state().barred()).isEmpty();
  }
}
