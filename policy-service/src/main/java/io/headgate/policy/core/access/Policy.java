package io.headgate.policy.core.access;

import io.headgate.policy.core.name.DepartmentId;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.PolicyId;
import java.util.Optional;

/// One group's rights.
///
/// @param department to which it belongs; absent: the tenant is above it
/// @param budget of its jobs; absent: none
public record Policy(
    PolicyId id,
    GroupId group,
    Optional<DepartmentId> department,
    Rights rights,
    JobTerms terms,
    Optional<Budget> budget,
    String description) {}
