package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.explain.Check;
import io.headgate.scheduler.core.explain.Explanation;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.runtime.text.CheckText;
import io.headgate.type.Viewer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ExplanationTest {
  private static List<String> lines(List<Check> checks) {
    return checks.stream()
        .map(check ->
            check.rule()
                + " "
                + check.title()
                + " "
                + check.verdict()
                + " "
                + CheckText.of(check, Viewer.OF_ALL))
        .toList();
  }

  /// The state after the first worked example.
  private static Driver example() {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("onprem")
            .profile("three", "3", "onprem")
            .profile("two", "2", "onprem")
            .policy("rnd", "5", "9")
            .policy("devops", "5", "9")
            .queue("rnd-3", "rnd", "three", 1)
            .queue("devops-3", "devops", "three", 1)
            .queue("devops-2", "devops", "two", 1);
    Driver it = new Driver(tenant).join(Driver.node("a-0", "onprem", 10));
    it.submit("rnd-3", "r-0", "r-1", "r-2", "r-3", "r-4").settle();
    return it.submit("devops-3", "d").settle().submit("devops-2", "e").settle();
  }

  @Test
  void saysWhyAJobWaitsAndWhyItDoesNotPreempt() {
    Driver it = example();
    Explanation explained = it.core.explain(it.id("r-1")).orElseThrow();
    assertThat(lines(explained.starts()))
        .containsExactly(
            "A1 access OK queue rnd-3 open",
            "A2 limit OK rnd uses 3 + needs 3 = 6 <= 9",
            "A5 queue OK over-reservation allowed",
            "A6 fit NO onprem offers 10 GPUs on 1 node: used 8, idle 2, needs 3");
    assertThat(lines(explained.preempts()))
        .containsExactly(
            "P1 entitled NO rnd 3 + needs 3 = 6 > reservation 5",
            "P2 victims NOT_APPLICABLE no other policy is above its reservation: devops (5 of 5)");
    assertThat(explained.position()).contains(new Explanation.Position(1, 4));
    assertThat(explained.ahead()).isEmpty();
    assertThat(explained.behind()).containsExactly(it.id("r-2"), it.id("r-3"), it.id("r-4"));
    assertThat(explained.job().lastPreemption().orElseThrow().by()).isEqualTo(it.id("e"));
    assertThat(it.core.explain(it.id("r-4")).orElseThrow().ahead())
        .containsExactly(it.id("r-1"), it.id("r-2"), it.id("r-3"));
  }

  @Test
  void saysWhatCouldHappenToARunningJob() {
    Driver it = example();
    assertThat(lines(it.core.explain(it.id("d")).orElseThrow().exposure()))
        .containsExactly("P2 reservation OK no victim: devops 5, reservation 5");
    it = example().exit("d", 0).settle();
    assertThat(lines(it.core.explain(it.id("r-1")).orElseThrow().exposure()))
        .containsExactly(
            "P2 reservation NO may be a victim of an entitled job: rnd 6, reservation 5");
  }

  @Test
  void stopsAtTheFirstRightThatIsMissing() {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("pool")
            .profile("one", "1", "pool")
            .policy("team", "1", "4")
            .perUser("team", "2")
            .queue("q", "team", "one", 1);
    Driver it = new Driver(tenant).join(Driver.node("n", "pool", 8));
    it.submit("q", "a", "b", "c");
    Explanation explained = it.core.explain(it.id("c")).orElseThrow();
    assertThat(lines(explained.starts()))
        .containsExactly(
            "A1 access OK queue q open",
            "A2 limit OK team uses 2 + needs 1 = 3 <= 4",
            "A4 user limit NO alice uses 2 + needs 1 = 3 > 2");
    assertThat(explained.preempts()).isEmpty();
    assertThat(explained.reason().map(Reason::code)).contains("USER_LIMIT");
    it.submit(it.spec("d", "q", "bob", 0, Optional.of(false)));
    it.submit(it.spec("e", "q", "bob", 0, Optional.of(false)));
    assertThat(lines(it.core.explain(it.id("e")).orElseThrow().starts()).getLast())
        .isEqualTo("A8 preemptible NO team non-preemptible 1 + needs 1 = 2 > reservation 1");
  }

  @Test
  void aSearchThatEndedAtItsBoundDoesNotSayThatThereIsNoRoom() {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("pool")
            .profile("one", "1", "pool")
            .profile("four", "4", "pool")
            .policy("rnd", "0", "8")
            .policy("ops", "4", "8")
            .queue("rnd-one", "rnd", "one", 1)
            .queue("ops-four", "ops", "four", 1);
    Driver it = new Driver(tenant).join(Driver.node("n", "pool", 4));
    it.submit("rnd-one", "a", "b", "c", "d").settle();
    it.core.searchAtMost(2);
    it.submit("ops-four", "e").settle();
    assertThat(it.reason("e").code()).isEqualTo("CAPACITY");
    assertThat(lines(it.core.explain(it.id("e")).orElseThrow().preempts()).getLast())
        .isEqualTo(
            "P2 victims NO above the reservation: rnd (4 of 0); no room was found within the bound"
                + " of the search, there may be some");
    it.core.searchAtMost(4);
    // Something has to change before the search is made again.
    it.exit("a", 0).settle();
    assertThat(it.core.attempt(it.id("e"))).isPresent();
  }

  @Test
  void saysWhatAJobMayTakeFromOtherTenants() {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("pool")
            .profile("one", "1", "pool")
            .policyOf("red", "red", "2", "8")
            .policyOf("blue", "blue", "8", "8")
            .queue("r", "red", "one", 1)
            .queue("b", "blue", "one", 1)
            .share("red", "pool", "1", "2")
            .share("blue", "pool", "1", "");
    Driver it = new Driver(tenant).join(Driver.node("n", "pool", 4));
    it.submit("b", "b0", "b1", "b2").submit("r", "r0", "r1").settle();
    Explanation explained = it.core.explain(it.id("r1")).orElseThrow();
    assertThat(lines(explained.starts()))
        .endsWith(
            "A3 tenant limit OK red in pool uses 1 + needs 1 = 2 <= 2",
            "A6 fit NO pool offers 4 GPUs on 1 node: used 4, idle 0, needs 1");
    assertThat(lines(explained.preempts()))
        .containsExactly(
            "P1 entitled OK red 1 + needs 1 = 2 <= reservation 2",
            "P2 victims NO no other policy has running jobs",
            "A3 tenant entitled NO red in pool 1 + needs 1 = 2 > reservation 1",
            "A3 other tenants NOT_APPLICABLE they use 2 above their reservations in pool");
    assertThat(lines(it.core.explain(it.id("b0")).orElseThrow().exposure()))
        .containsExactly(
            "P2 reservation OK no victim: blue 3, reservation 8",
            "A3 tenant reservation NO may be a victim of other tenants: blue in pool 3, reservation"
                + " 1");
  }

  @Test
  void namesTheHoldThatAJobWaitsFor() {
    Driver it = example();
    it.cancel("d").settle();
    it.forget().submit("devops-3", "d2");
    assertThat(it.core.explain(it.id("d2")).orElseThrow().hold()).isPresent();
    assertThat(it.core.explain(it.id("d2")).orElseThrow().starts()).isEmpty();
  }
}
