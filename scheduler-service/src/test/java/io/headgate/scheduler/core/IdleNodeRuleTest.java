package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// P2 counts what a policy has in all pools: so a machine that joins one pool may cost a job in
/// another.
class IdleNodeRuleTest {
  /// "mine" is entitled to the only GPU of "old", but "team" is at its reservation with it. When a
  /// machine joins "fresh", the team's second job starts there; now the team is above its
  /// reservation, and its job in "old" goes.
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
}
