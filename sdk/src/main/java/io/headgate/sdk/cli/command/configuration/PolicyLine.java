package io.headgate.sdk.cli.command.configuration;

import io.headgate.sdk.config.Policy;
import io.headgate.sdk.model.Usage;
import io.headgate.type.GpuQuantity;
import org.jspecify.annotations.Nullable;

/// One line of `headgate policies`: a policy, or a department above the policies that follow.
///
/// @param depth departments above it
/// @param usage of a department: that of the listed policies in it
/// @param reservation of a department without one: the sum of its listed members
/// @param limit null: none
/// @param policy null: it is a department
record PolicyLine(
    String name,
    int depth,
    Usage.OfPolicy usage,
    GpuQuantity reservation,
    @Nullable GpuQuantity limit,
    int weight,
    @Nullable Policy policy) {
  static PolicyLine of(Policy policy, Usage.OfPolicy usage) {
    return new PolicyLine(
        policy.name(), 0, usage, policy.reservation(), policy.limit(), policy.weight(), policy);
  }

  PolicyLine at(int level) {
    return new PolicyLine(name, level, usage, reservation, limit, weight, policy);
  }

  /// The name, indented below its departments.
  String indented() {
    return "  ".repeat(depth) + name;
  }

  @Nullable String group() {
    return policy == null ? null : policy.group();
  }

  @Nullable String department() {
    return policy == null ? null : policy.department();
  }

  @Nullable GpuQuantity perUserLimit() {
    return policy == null ? null : policy.perUserLimit();
  }

  @Nullable String onPreempt() {
    return policy == null ? null : policy.onPreempt().keyword();
  }

  @Nullable String description() {
    return policy == null ? null : policy.description();
  }
}
