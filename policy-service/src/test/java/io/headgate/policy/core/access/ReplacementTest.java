package io.headgate.policy.core.access;

import static io.headgate.policy.core.access.Specs.all;
import static io.headgate.policy.core.access.Specs.exceeding;
import static io.headgate.policy.core.access.Specs.group;
import static io.headgate.policy.core.access.Specs.policy;
import static io.headgate.policy.core.access.Specs.queue;
import static io.headgate.policy.core.access.Specs.state;
import static io.headgate.policy.core.access.Specs.supply;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.Replacement.Thoroughness;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.PolicyId;
import io.headgate.policy.core.name.UserId;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReplacementTest {
  private static final Supply SUPPLY = supply(10, Map.of("three", "3", "half", "1/2"));
  private static final AccessSpec GOOD =
      all(
          List.of(group("devs", "ada", "grace")),
          List.of(policy("rnd", "5", "9")),
          List.of(queue("rnd-3", "rnd", "three")));

  @Test
  void readsAConfigurationWithItsDefaults() {
    AccessConfiguration next = accepted(GOOD).next();
    Policy rnd = next.policies().getFirst();
    assertThat(rnd.rights().reservation()).isEqualTo(GpuQuantity.ofGpus(5));
    assertThat(rnd.rights().weight()).isEqualTo(1);
    assertThat(rnd.terms().minRuntime()).isEqualTo(Duration.ZERO);
    assertThat(rnd.terms().stopAfter()).contains(Duration.ofMinutes(40));
    assertThat(next.queues().getFirst().rank()).isEqualTo(1);
  }

  @Test
  void sameMembersInAnyOrderAreTheSameConfiguration() {
    AccessSpec turned = all(List.of(group("devs", "grace", "ada")), GOOD.policies(), GOOD.queues());
    assertThat(accepted(turned).next()).isEqualTo(accepted(GOOD).next());
  }

  @Test
  void saysEverythingThatIsWrongAtOnce() {
    AccessSpec wrong =
        all(
            List.of(group("devs", "Ada"), group("devs")),
            List.of(
                policy("rnd", "12", "10"),
                policy("ops", "nobody", "1/11", "many"),
                policy("Bad", "0", "1")),
            List.of(
                queue("rnd-3", "rnd", "theer"),
                queue("ops-3", "ops", "three"),
                queue("none", "rmd", "half")));
    assertThat(denied(wrong))
        .containsExactlyInAnyOrder(
            new Denial.InvalidName("groups[devs].users[0]", Kind.USER, "Ada"),
            new Denial.Duplicate("groups[devs].name", Kind.GROUP, "devs"),
            new Denial.ReservationAboveLimit(
                "policies[rnd].reservation",
                Kind.POLICY,
                "rnd",
                GpuQuantity.ofGpus(12),
                GpuQuantity.ofGpus(10)),
            new Denial.InexactQuantity(
                "policies[ops].reservation",
                "1/11",
                new GpuQuantity(11_454),
                new GpuQuantity(11_455)),
            new Denial.MalformedQuantity("policies[ops].limit", "many"),
            new Denial.InvalidName("policies[Bad].name", Kind.POLICY, "Bad"),
            new Denial.Unknown(
                "queues[rnd-3].profile", Kind.PROFILE, "theer", Optional.of("three")),
            new Denial.Unknown("queues[none].policy", Kind.POLICY, "rmd", Optional.of("rnd")));
  }

  @Test
  void refusesAProfileThatNeedsMoreThanTheLimit() {
    AccessSpec wrong = all(GOOD.groups(), List.of(policy("rnd", "1", "2")), GOOD.queues());
    assertThat(denied(wrong))
        .containsExactly(
            new Denial.ProfileAboveLimit(
                "queues[rnd-3].profile",
                "rnd-3",
                "three",
                GpuQuantity.ofGpus(3),
                "rnd",
                GpuQuantity.ofGpus(2)));
  }

  @Test
  void refusesAGroupThatIsNotThere() {
    AccessSpec wrong = all(List.of(group("dev")), List.of(policy("rnd", "1", "2")), List.of());
    assertThat(denied(wrong))
        .containsExactly(
            new Denial.Unknown("policies[rnd].group", Kind.GROUP, "devs", Optional.of("dev")));
  }

  @Test
  void refusesTwoQueuesOfOneProfileInOnePolicy() {
    AccessSpec wrong =
        all(
            GOOD.groups(),
            GOOD.policies(),
            List.of(queue("a", "rnd", "three"), queue("b", "rnd", "three")));
    assertThat(denied(wrong))
        .containsExactly(new Denial.AlreadyConnected("queues[b].profile", "three", "rnd", "a"));
  }

  @Test
  void exceedingUsersExistOrAreMadeByAGroup() {
    AccessSpec spec =
        all(
            List.of(group("devs", "ada")),
            List.of(exceeding("rnd", "ada", "old", "zoe")),
            List.of());
    assertThat(denied(spec))
        .containsExactly(
            new Denial.Unknown(
                "policies[rnd].exceed_limit[2]", Kind.USER, "zoe", Optional.empty()));
    AccessDecision.Accepted accepted =
        accept(
            Replacement.decide(
                state(AccessConfiguration.EMPTY, SUPPLY, "old", "zoe"),
                spec,
                Thoroughness.CHANGES_ONLY));
    assertThat(accepted.warnings())
        .contains(
            new AccessWarning.NotInGroup(
                new PolicyId("rnd"), 1, new UserId("old"), new GroupId("devs")));
  }

  @Test
  void warnsWhenMoreIsReservedThanThereIs() {
    AccessSpec spec =
        all(GOOD.groups(), List.of(policy("a", "6", "9"), policy("b", "5", "9")), List.of());
    assertThat(accepted(spec).warnings())
        .containsExactly(
            new AccessWarning.Overcommitted(
                GpuQuantity.ofGpus(11).units(), GpuQuantity.ofGpus(10)));
    assertThat(accepted(GOOD).warnings()).isEmpty();
  }

  @Test
  void warnsOfALimitOfOneUserThatStopsAllOrNothing() {
    AccessSpec spec =
        all(
            GOOD.groups(),
            List.of(
                Specs.perUser("none", "0"),
                Specs.perUser("some", "4"),
                Specs.perUser("more", "9/2")),
            List.of());
    GpuQuantity four = GpuQuantity.ofGpus(4);
    assertThat(accepted(spec).warnings())
        .containsExactlyInAnyOrder(
            new AccessWarning.UselessUserLimit(new PolicyId("none"), GpuQuantity.ZERO, four),
            new AccessWarning.UselessUserLimit(
                new PolicyId("more"), GpuQuantity.parse("9/2"), four));
  }

  @Test
  void anEqualConfigurationNeedsNoSupplyUnlessEverythingIsToBeChecked() {
    AccessConfiguration current = accepted(GOOD).next();
    AccessState without = new AccessState(current, Set.of(), Optional.empty());
    assertThat(Replacement.decide(without, GOOD, Thoroughness.CHANGES_ONLY))
        .isEqualTo(AccessDecision.accepted(current));
    assertThat(Replacement.decide(without, GOOD, Thoroughness.EVERYTHING))
        .isEqualTo(new AccessDecision.SupplyNeeded());
    Supply gone = supply(10, Map.of());
    assertThat(Replacement.decide(state(current, gone), GOOD, Thoroughness.EVERYTHING))
        .isInstanceOf(AccessDecision.Denied.class);
  }

  @Test
  void anEmptyConfigurationNeedsNoSupply() {
    AccessConfiguration current = accepted(GOOD).next();
    AccessState without = new AccessState(current, Set.of(), Optional.empty());
    AccessSpec empty = all(List.of(), List.of(), List.of());
    assertThat(Replacement.decide(without, empty, Thoroughness.EVERYTHING))
        .isEqualTo(AccessDecision.accepted(AccessConfiguration.EMPTY));
  }

  @Test
  void durationsHaveBounds() {
    AccessSpec spec =
        all(
            GOOD.groups(),
            List.of(
                Specs.terms("a", Duration.ofSeconds(-1), Optional.empty(), false),
                Specs.terms("b", Duration.ofNanos(1), Optional.empty(), false),
                Specs.terms("c", Duration.ZERO, Optional.of(Duration.ZERO), false),
                Specs.terms("d", Duration.ZERO, Optional.of(Duration.ofDays(366)), false),
                Specs.terms("e", Duration.ZERO, Optional.of(Duration.ofSeconds(9)), true),
                Specs.terms("f", Duration.ofDays(1), Optional.empty(), true)),
            List.of());
    assertThat(denied(spec))
        .extracting(ReplacementTest::field)
        .containsExactly(
            "policies[a].min_runtime",
            "policies[b].min_runtime",
            "policies[c].stop_after",
            "policies[d].stop_after",
            "policies[e].stop_after");
  }

  @Test
  void aHugeHeapOfMistakesIsCutShort() {
    List<AccessSpec.GroupSpec> groups =
        IntStream.range(0, 500).mapToObj(i -> group("G" + i)).toList();
    assertThat(denied(all(groups, List.of(), List.of()))).hasSize(100);
  }

  private static String field(Denial denial) {
    return switch (denial) {
      case Denial.OutOfRange(var field, _, _, _) -> field;
      case Denial.Contradiction(var field, _) -> field;
      default -> denial.toString();
    };
  }

  private static AccessDecision.Accepted accepted(AccessSpec spec) {
    return accept(decide(spec));
  }

  private static AccessDecision.Accepted accept(AccessDecision decision) {
    assertThat(decision).isInstanceOf(AccessDecision.Accepted.class);
    return (AccessDecision.Accepted) decision;
  }

  private static List<Denial> denied(AccessSpec spec) {
    AccessDecision decision = decide(spec);
    assertThat(decision).isInstanceOf(AccessDecision.Denied.class);
    return ((AccessDecision.Denied) decision).denials();
  }

  private static AccessDecision decide(AccessSpec spec) {
    return Replacement.decide(
        state(AccessConfiguration.EMPTY, SUPPLY, "old"), spec, Thoroughness.CHANGES_ONLY);
  }
}
