package io.headgate.policy.core.access;

import static io.headgate.policy.core.access.Specs.all;
import static io.headgate.policy.core.access.Specs.group;
import static io.headgate.policy.core.access.Specs.policy;
import static io.headgate.policy.core.access.Specs.queue;
import static io.headgate.policy.core.access.Specs.state;
import static io.headgate.policy.core.access.Specs.supply;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessEdit.Mode;
import io.headgate.policy.core.access.AccessSpec.QueueSpec;
import io.headgate.policy.core.access.Replacement.Thoroughness;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.PolicyId;
import io.headgate.policy.core.name.QueueId;
import io.headgate.policy.core.name.UserId;
import io.headgate.type.GpuQuantity;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AccessEditTest {
  private static final Supply SUPPLY = supply(10, Map.of("three", "3", "half", "1/2"));
  private static final Supply NOTHING = supply(0, Map.of());
  private static final AccessConfiguration CURRENT =
      ((AccessDecision.Accepted)
              Replacement.decide(
                  state(AccessConfiguration.EMPTY, SUPPLY),
                  all(
                      List.of(group("devs", "ada")),
                      List.of(policy("rnd", "5", "9")),
                      List.of(queue("rnd-3", "rnd", "three"))),
                  Thoroughness.CHANGES_ONLY))
          .next();

  @Test
  void aNameCanBeTakenOnce() {
    assertThat(
            AccessEdit.put(AccessParts.GROUPS, state(CURRENT, SUPPLY), Mode.CREATE, group("devs")))
        .isEqualTo(denied(new Denial.NameTaken("group_id", Kind.GROUP, "devs")));
    assertThat(
            AccessEdit.put(
                AccessParts.POLICIES, state(CURRENT, SUPPLY), Mode.CREATE, policy("rnd", "0", "1")))
        .isEqualTo(denied(new Denial.NameTaken("policy_id", Kind.POLICY, "rnd")));
  }

  @Test
  void onlyWhatIsThereCanChange() {
    assertThat(
            AccessEdit.put(AccessParts.GROUPS, state(CURRENT, SUPPLY), Mode.UPDATE, group("ops")))
        .isEqualTo(denied(new Denial.NotFound(Kind.GROUP, "ops")));
    assertThat(AccessEdit.remove(AccessParts.QUEUES, CURRENT, new QueueId("nope")))
        .isEqualTo(denied(new Denial.NotFound(Kind.QUEUE, "nope")));
    assertThat(AccessEdit.remove(AccessParts.POLICIES, CURRENT, new PolicyId("nope")))
        .isEqualTo(denied(new Denial.NotFound(Kind.POLICY, "nope")));
  }

  @Test
  void aLowerLimitMustStillHoldWhatTheQueuesNeed() {
    AccessState unasked = new AccessState(CURRENT, Set.of(), Optional.empty());
    assertThat(AccessEdit.put(AccessParts.POLICIES, unasked, Mode.UPDATE, policy("rnd", "0", "2")))
        .isEqualTo(new AccessDecision.SupplyNeeded());
    assertThat(
            AccessEdit.put(
                AccessParts.POLICIES, state(CURRENT, SUPPLY), Mode.UPDATE, policy("rnd", "0", "2")))
        .isEqualTo(
            denied(
                new Denial.ProfileAboveLimit(
                    "policy.limit",
                    "rnd-3",
                    "three",
                    GpuQuantity.ofGpus(3),
                    "rnd",
                    GpuQuantity.ofGpus(2))));
    assertThat(AccessEdit.put(AccessParts.POLICIES, unasked, Mode.UPDATE, policy("rnd", "6", "9")))
        .isInstanceOf(AccessDecision.Accepted.class);
  }

  @Test
  void aProfileThatVanishedStopsNoOtherEdit() {
    AccessState state = state(CURRENT, NOTHING);
    QueueSpec paused = new QueueSpec("rnd-3", "rnd", "three", 2, false, true);
    assertThat(AccessEdit.put(AccessParts.QUEUES, state, Mode.UPDATE, paused))
        .isInstanceOf(AccessDecision.Accepted.class);
    assertThat(AccessEdit.put(AccessParts.POLICIES, state, Mode.UPDATE, policy("rnd", "0", "1")))
        .isInstanceOf(AccessDecision.Accepted.class);
    assertThat(AccessEdit.put(AccessParts.QUEUES, state, Mode.CREATE, queue("more", "rnd", "half")))
        .isEqualTo(
            denied(new Denial.Unknown("queue.profile", Kind.PROFILE, "half", Optional.empty())));
  }

  @Test
  void aProfileIsConnectedToAPolicyOnce() {
    assertThat(
            AccessEdit.put(
                AccessParts.QUEUES,
                state(CURRENT, SUPPLY),
                Mode.CREATE,
                queue("a", "rnd", "three")))
        .isEqualTo(denied(new Denial.AlreadyConnected("queue.profile", "three", "rnd", "rnd-3")));
  }

  @Test
  void aQueueGoesWithItsPolicy() {
    AccessDecision decision = AccessEdit.remove(AccessParts.POLICIES, CURRENT, new PolicyId("rnd"));
    AccessConfiguration next = ((AccessDecision.Accepted) decision).next();
    assertThat(next.policies()).isEmpty();
    assertThat(next.queues()).isEmpty();
    assertThat(next.groups()).hasSize(1);
  }

  @Test
  void aGroupWithRightsStays() {
    assertThat(AccessEdit.remove(AccessParts.GROUPS, CURRENT, new GroupId("devs")))
        .isEqualTo(denied(new Denial.GroupInUse("devs", List.of("rnd"))));
  }

  @Test
  void whoIsRemovedLeavesGroupsAndGrants() {
    AccessConfiguration granted =
        ((AccessDecision.Accepted)
                AccessEdit.put(
                    AccessParts.POLICIES,
                    state(CURRENT, SUPPLY),
                    Mode.UPDATE,
                    Specs.exceeding("rnd", "ada")))
            .next();
    AccessConfiguration without = granted.withoutUser(new UserId("ada"));
    assertThat(without.groups().getFirst().users()).isEmpty();
    assertThat(without.policies().getFirst().rights().exceedLimit()).isEmpty();
  }

  private static AccessDecision denied(Denial denial) {
    return AccessDecision.denied(denial);
  }
}
