package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.TenantBuilder.policyId;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.StopCause;
import org.junit.jupiter.api.Test;

/// A policy is renamed, or deleted and made again, while its jobs run: they count on whichever
/// policy follows it, so that no renaming passes a limit (A2).
class PolicySuccessionTest {
  private static TenantBuilder tenant() {
    return new TenantBuilder()
        .pool("pool")
        .profile("one", "1", "pool")
        .policy("team", "2", "4")
        .group("team", "research")
        .queue("q", "team", "one", 1);
  }

  private static Driver on(TenantBuilder tenant) {
    return new Driver(tenant).join(Driver.node("n", "pool", 8));
  }

  @Test
  void aRenamedPolicyKeepsWhatRunsInItsQueues() {
    TenantBuilder tenant = tenant();
    Driver it = on(tenant).submit("q", "a", "b", "c", "d", "e").run();
    it.provision(tenant.renamePolicy("team", "crew"));
    assertThat(it.used("crew")).isEqualTo("4");
    assertThat(it.attempt("a").policy()).isEqualTo(policyId("crew"));
    assertThat(it.state("e")).isEqualTo(JobState.WAITING);
    it.exit("a", 0);
    assertThat(it.state("e")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void itsJobsCountOnTheOnlyPolicyOfTheGroupWhereTheQueuesAreOthersToo() {
    TenantBuilder tenant = tenant();
    Driver it = on(tenant).submit("q", "a", "b", "c").run();
    it.provision(
        tenant
            .withoutPolicy("team")
            .withoutQueue("q")
            .policy("crew", "2", "4")
            .group("crew", "research")
            .queue("r", "crew", "one", 1));
    it.submit("r", "x", "y");
    assertThat(it.used("crew")).isEqualTo("4");
    assertThat(it.state("y")).isEqualTo(JobState.WAITING);
  }

  @Test
  void noneIsChosenWhereTheGroupHasSeveral() {
    TenantBuilder tenant = tenant();
    Driver it = on(tenant).submit("q", "a", "b", "c").run();
    it.provision(
        tenant
            .withoutPolicy("team")
            .withoutQueue("q")
            .policy("crew", "2", "4")
            .group("crew", "research")
            .policy("gang", "2", "4")
            .group("gang", "research"));
    assertThat(it.attempt("a").policy()).isEqualTo(policyId("team"));
    assertThat(it.used("crew")).isEqualTo("0");
    assertThat(it.used("gang")).isEqualTo("0");
  }

  @Test
  void aPolicyThatIsDeletedAndMadeAgainFindsItsJobs() {
    TenantBuilder tenant = tenant();
    Driver it = on(tenant).submit("q", "a", "b", "c").run();
    it.provision(tenant.withoutPolicy("team").withoutQueue("q"));
    assertThat(it.attempt("a").policy()).isEqualTo(policyId("team"));
    it.provision(tenant().policy("team", "0", "3"));
    it.submit("q", "d");
    assertThat(it.used("team")).isEqualTo("3");
    assertThat(it.state("d")).isEqualTo(JobState.WAITING);
  }

  @Test
  void aQueueThatMovesToAnotherPolicyTakesItsJobsAlong() {
    TenantBuilder tenant = tenant().policy("other", "0", "3");
    Driver it = on(tenant).submit("q", "a", "b", "c").run();
    it.provision(tenant.queue("q", "other", "one", 1));
    it.submit("q", "d");
    assertThat(it.used("team")).isEqualTo("0");
    assertThat(it.used("other")).isEqualTo("3");
    assertThat(it.state("d")).isEqualTo(JobState.WAITING);
  }

  @Test
  void whatStillStopsCountsOn() {
    TenantBuilder tenant = tenant();
    Driver it = on(tenant).submit("q", "a", "b", "c", "d", "e").run().cancel("a");
    it.provision(tenant.renamePolicy("team", "crew"));
    assertThat(it.used("crew")).isEqualTo("4");
    assertThat(it.state("e")).isEqualTo(JobState.WAITING);
    it.stopAll();
    assertThat(it.used("crew")).isEqualTo("4");
    assertThat(it.state("e")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void aHoldIsKeptByTheRenamedPolicy() {
    TenantBuilder tenant = tenant().policy("guest", "0", "8").queue("g", "guest", "one", 2);
    Driver it = on(tenant).submit("g", "1", "2", "3", "4", "5", "6", "7", "8").run();
    it.submit("q", "a");
    assertThat(it.core.state().holds()).hasSize(1);
    it.provision(tenant.renamePolicy("team", "crew"));
    assertThat(it.core.state().holds()).hasSize(1);
    it.stopAll();
    assertThat(it.attempt("a").policy()).isEqualTo(policyId("crew"));
    assertThat(it.used("crew")).isEqualTo("1");
  }

  @Test
  void theFollowingPolicysRightsDecideWhoIsAVictim() {
    TenantBuilder tenant =
        tenant().policy("guest", "0", "8").queue("g", "guest", "one", 2).policy("owner", "8", "8");
    Driver it = on(tenant).submit("g", "1", "2", "3", "4", "5", "6", "7", "8").run();
    it.provision(tenant.renamePolicy("guest", "visitor").queue("o", "owner", "one", 1));
    it.submit("o", "a");
    assertThat(it.stopped()).hasSize(1);
    StopCause.Preempted cause =
        (StopCause.Preempted) it.attempt(it.stopped().getFirst()).stop().orElseThrow().cause();
    assertThat(cause.grounds().toString()).contains("visitor");
  }
}
