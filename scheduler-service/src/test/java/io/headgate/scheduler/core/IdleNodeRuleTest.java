package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.node.NodeStatus;
import org.junit.jupiter.api.Test;

/// A machine that joins may cost others a job.
class IdleNodeRuleTest {
  /// P2 counts what a policy has in all pools. "mine" is entitled to the only GPU of "old", but
  /// "team" is at its reservation with it. When a machine joins "fresh", the team's second job
  /// starts there; now the team is above its reservation, and its job in "old" goes.
  @Test
  void anIdleNodeMayCauseAPreemptionElsewhere() {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("old")
            .pool("fresh")
            .profile("one", "1", "old")
            .profile("away", "1", "fresh")
            .policy("team", "1", "2")
            .policy("owner", "1", "1")
            .queue("t", "team", "one", 1)
            .queue("a", "team", "away", 1)
            .queue("o", "owner", "one", 2);
    Driver it = new Driver(tenant).join(Driver.node("n", "old", 1));
    it.submit("t", "first").run().submit("a", "second").submit("o", "mine");
    assertThat(it.stopped()).isEmpty();
    it.join(Driver.node("new", "fresh", 1));
    assertThat(it.place("second")).isEqualTo("new:0");
    assertThat(it.stopped()).containsExactly("first");
  }

  /// The pool's ceiling of 2 is in use, and the only machine's CPUs. "second" is entitled, but
  /// without "other" it would lack CPUs still; on the new machine it lacks only the ceiling.
  @Test
  void anIdleNodeUnderACeilingMayCauseOne() {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("pool")
            .poolCapacity("pool", "2")
            .profile("plain", "1", "pool")
            .profile("busy", "1", 1, 4000, "pool")
            .policy("team", "0", "2")
            .policy("owner", "2", "2")
            .queue("t", "team", "plain", 1)
            .queue("o", "owner", "busy", 1);
    Driver it = new Driver(tenant).join(Driver.node("n", "pool", 2, 4000, NodeStatus.READY));
    it.submit("t", "other").submit("o", "first").run().submit("o", "second");
    assertThat(it.stopped()).isEmpty();
    it.join(Driver.node("new", "pool", 1, 4000, NodeStatus.READY));
    assertThat(it.stopped()).containsExactly("other");
    it.settle();
    assertThat(it.place("second")).isEqualTo("new:0");
  }
}
