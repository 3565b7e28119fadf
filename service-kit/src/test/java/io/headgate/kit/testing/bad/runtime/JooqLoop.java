package io.headgate.kit.testing.bad.runtime;

import io.headgate.proto.type.v1.Role;
import org.jooq.DSLContext;

/// A loop that queries and speaks protobuf.
public final class JooqLoop {
  public int run(DSLContext jooq, Role role) {
    return jooq.hashCode() + role.getNumber();
  }
}
