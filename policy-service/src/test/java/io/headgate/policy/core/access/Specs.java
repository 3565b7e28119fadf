package io.headgate.policy.core.access;

import io.headgate.policy.core.access.AccessSpec.DepartmentSpec;
import io.headgate.policy.core.access.AccessSpec.GroupSpec;
import io.headgate.policy.core.access.AccessSpec.PolicySpec;
import io.headgate.policy.core.access.AccessSpec.QueueSpec;
import io.headgate.policy.core.access.AccessSpec.RightsSpec;
import io.headgate.policy.core.access.AccessSpec.TermsSpec;
import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.ProfileId;
import io.headgate.policy.core.name.UserId;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Small builders: a test names only what matters to it.
final class Specs {
  static final TermsSpec TERMS =
      new TermsSpec(
          JobTerms.OnPreempt.REQUEUE,
          Optional.empty(),
          true,
          JobTerms.PreemptWithin.NEVER,
          Optional.empty(),
          false,
          Optional.empty(),
          Grace.NONE);

  private Specs() {}

  static GroupSpec group(String id, String... users) {
    return new GroupSpec(id, List.of(users), List.of(), List.of());
  }

  static PolicySpec policy(String id, String reservation, String limit) {
    return policy(id, "devs", reservation, limit);
  }

  static PolicySpec policy(String id, String group, String reservation, String limit) {
    return new PolicySpec(
        id,
        group,
        "",
        new RightsSpec(reservation, limit, "", 0, List.of()),
        TERMS,
        Optional.empty(),
        "");
  }

  /// A policy with a limit of 4 GPUs and one for each user.
  static PolicySpec perUser(String id, String perUser) {
    return new PolicySpec(
        id,
        "devs",
        "",
        new RightsSpec("0", "4", perUser, 0, List.of()),
        TERMS,
        Optional.empty(),
        "");
  }

  static PolicySpec exceeding(String id, String... users) {
    return new PolicySpec(
        id,
        "devs",
        "",
        new RightsSpec("0", "4", "", 0, List.of(users)),
        TERMS,
        Optional.empty(),
        "");
  }

  static PolicySpec terms(
      String id, Duration minRuntime, Optional<Duration> stopAfter, boolean never) {
    return new PolicySpec(
        id,
        "devs",
        "",
        new RightsSpec("0", "4", "", 0, List.of()),
        new TermsSpec(
            JobTerms.OnPreempt.REQUEUE,
            Optional.of(minRuntime),
            true,
            JobTerms.PreemptWithin.NEVER,
            stopAfter,
            never,
            Optional.empty(),
            Grace.NONE),
        Optional.empty(),
        "");
  }

  /// A policy of a department, which reserves all that it may use.
  static PolicySpec policyOf(String department, String id, String reservation) {
    return new PolicySpec(
        id,
        "devs",
        department,
        new RightsSpec(reservation, reservation, "", 0, List.of()),
        TERMS,
        Optional.empty(),
        "");
  }

  static DepartmentSpec department(String id, String parent, String reservation, String limit) {
    return new DepartmentSpec(id, parent, reservation, limit, 0, Optional.empty());
  }

  static QueueSpec queue(String id, String policy, String profile) {
    return new QueueSpec(id, policy, profile, 0, true, false);
  }

  static AccessSpec all(List<GroupSpec> groups, List<PolicySpec> policies, List<QueueSpec> queues) {
    return all(groups, List.of(), policies, queues);
  }

  static AccessSpec all(
      List<GroupSpec> groups,
      List<DepartmentSpec> departments,
      List<PolicySpec> policies,
      List<QueueSpec> queues) {
    return new AccessSpec(groups, departments, policies, queues, Optional.empty(), Visibility.OWN);
  }

  /// Profiles by id with the need of one job, and a pool of `total` GPUs.
  static Supply supply(int total, Map<String, String> profiles) {
    Map<ProfileId, GpuQuantity> needs = new HashMap<>();
    profiles.forEach((id, need) -> needs.put(new ProfileId(id), GpuQuantity.parse(need)));
    return new Supply(needs, Set.of(new PoolId("onprem")), GpuQuantity.ofGpus(total));
  }

  static AccessState state(AccessConfiguration current, Supply supply, String... users) {
    Set<UserId> known = new HashSet<>();
    for (String user : users) {
      known.add(new UserId(user));
    }
    return new AccessState(current, known, Optional.of(supply));
  }
}
