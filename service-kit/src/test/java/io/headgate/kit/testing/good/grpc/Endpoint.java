package io.headgate.kit.testing.good.grpc;

import io.headgate.kit.testing.good.runtime.Loop;
import io.headgate.proto.type.v1.Role;

/// An endpoint speaks protobuf.
public final class Endpoint {
  private final Loop loop;

  public Endpoint(Loop loop) {
    this.loop = loop;
  }

  public Role serve() {
    loop.pass();
    return Role.ROLE_MEMBER;
  }
}
