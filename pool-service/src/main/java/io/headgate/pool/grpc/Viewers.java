package io.headgate.pool.grpc;

import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.failure.Refusal;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.Profile;
import io.headgate.proto.pool.v1.View;
import io.headgate.type.Viewer;
import java.util.Set;

/// The views of callers on a tenant's hardware. Pools, profiles and nodes belong to no group:
/// members see them as capacity, and admins decide what it is for.
final class Viewers {
  /// Attribute of a member's token, from policy-service: `tenant` where the tenant is open to its
  /// members. A tenant that is closed stays open here until its members' tokens expire.
  private static final String VISIBILITY = "visibility";

  private Viewers() {}

  static Viewer current() {
    Principal caller = Principals.current();
    return switch (caller.role()) {
      case PLATFORM_OPERATOR, TENANT_ADMIN -> Viewer.governing(caller.subject());
      case SERVICE -> Viewer.OF_ALL;
      case MEMBER, SERVICE_ACCOUNT, NODE ->
          Viewer.member(
              caller.subject(),
              Set.of(),
              Set.of(),
              "tenant".equals(caller.attributes().get(VISIBILITY)));
    };
  }

  /// Refuses a caller that does not see the tenant as a whole.
  static void requireAll(String what) {
    if (!current().seesAll()) {
      throw Refusal.permissionDenied(
              "ADMINS_ONLY",
              "only admins read "
                  + what
                  + ", because the visibility of the tenant is own: headgate pools shows its"
                  + " capacity")
          .exception();
    }
  }

  /// A draft is a plan of admins.
  static void requireAll(View view) {
    if (Views.isDraft(view)) {
      requireAll("drafts");
    }
  }

  /// A pool without its owner, the order of its profiles, and how its provider is called.
  static Pool seen(Pool pool) {
    if (current().seesAll()) {
      return pool;
    }
    Pool.Builder seen = pool.toBuilder().clearProfileOrder().clearDedicatedTo();
    if (seen.hasElasticity()) {
      seen.getElasticityBuilder().clearProvider().clearSettings();
    }
    return seen.build();
  }

  /// A profile without its routing.
  static Profile seen(Profile profile) {
    return current().seesAll() ? profile : profile.toBuilder().clearPools().build();
  }
}
