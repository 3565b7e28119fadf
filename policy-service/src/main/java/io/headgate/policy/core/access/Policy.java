package io.headgate.policy.core.access;

import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.PolicyId;

/// One group's rights.
public record Policy(
    PolicyId id, GroupId group, Rights rights, JobTerms terms, String description) {}
