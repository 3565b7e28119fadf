package io.headgate.pool.core.configuration;

import io.headgate.pool.core.name.GroupId;
import io.headgate.pool.core.name.PolicyId;

/// The exclusive owner of a pool.
public sealed interface Dedication {
  record ToPolicy(PolicyId policy) implements Dedication {}

  record ToGroup(GroupId group) implements Dedication {}
}
