package io.headgate.kit.auth;

import io.grpc.Context;
import io.grpc.Status;
import io.headgate.kit.db.Reach;
import io.headgate.kit.failure.Refusal;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The caller of the current RPC, and the check that isolates tenants.
public final class Principals {
  static final Context.Key<Principal> KEY = Context.key("principal");

  private static final String ID = "[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?";
  private static final Pattern NAME = Pattern.compile("(?:tenants/)?(" + ID + ")(?:/.*)?");

  private Principals() {}

  /// The caller.
  ///
  /// @throws IllegalStateException in a method that anonymous callers may use, or outside of a call
  public static Principal current() {
    return find()
        .orElseThrow(() -> new IllegalStateException("no principal: the call is anonymous"));
  }

  /// The caller; empty for an anonymous call.
  public static Optional<Principal> find() {
    return Optional.ofNullable(KEY.get());
  }

  /// The rows that the caller may see and write: those of its tenant, or those of all tenants for a
  /// role that is bound to none. No tenant's rows in an anonymous call, and outside of a call.
  public static Reach reach() {
    Principal caller = KEY.get();
    if (caller == null) {
      return Reach.NO_TENANT;
    }
    String tenant = caller.tenant();
    return tenant == null ? Reach.EVERY_TENANT : Reach.of(tenant);
  }

  /// The id of the tenant in `name`, if the caller may see it. The refusal for a foreign tenant
  /// equals the refusal for an absent one, so that it does not reveal which tenants exist.
  ///
  /// @param name a resource name, `tenants/acme/pools/x`, or a tenant's id, `acme`
  public static String requireTenant(String name) {
    Matcher parts = NAME.matcher(name);
    if (!parts.matches() || (name.indexOf('/') >= 0 && !name.startsWith("tenants/"))) {
      throw Refusal.invalidField(
              "INVALID_NAME", "name", "'" + name + "' is not in a tenant: write tenants/ID/...")
          .exception();
    }
    String tenant = parts.group(1);
    if (!current().mayEnter(tenant)) {
      throw tenantNotFound(tenant).exception();
    }
    return tenant;
  }

  /// The refusal for a tenant that is absent or foreign to the caller.
  public static Refusal tenantNotFound(String tenant) {
    return Refusal.of(
            Status.Code.NOT_FOUND, "TENANT_NOT_FOUND", "there is no tenant '" + tenant + "'")
        .withMetadata("tenant", tenant);
  }
}
