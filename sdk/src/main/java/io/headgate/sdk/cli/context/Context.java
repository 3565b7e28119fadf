package io.headgate.sdk.cli.context;

import org.jspecify.annotations.Nullable;

/// A server, a tenant and a key under one name.
///
/// @param tenant null: the tenant of the key
/// @param key null: signed out
/// @param certificateAuthority PEM file; null: the system's authorities
public record Context(
    String name,
    String server,
    @Nullable String tenant,
    @Nullable String key,
    @Nullable String certificateAuthority) {
  public Context withTenant(@Nullable String other) {
    return new Context(name, server, other, key, certificateAuthority);
  }

  public Context withKey(@Nullable String other) {
    return new Context(name, server, tenant, other, certificateAuthority);
  }

  @Override
  public String toString() {
    return "Context[" + name + ", " + server + "]";
  }
}
