package io.headgate.policy.runtime;

import io.headgate.kit.decision.DeniedException;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.identity.PrincipalRole;
import io.headgate.policy.core.identity.User;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.Tables;
import io.headgate.type.NameRule;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// The admins of a tenant as a configuration states them. Thread-safe.
final class StatedAdmins {
  private static final String FIELD = "admins";

  private final Changes changes;

  StatedAdmins(Changes changes) {
    this.changes = changes;
  }

  /// Makes exactly the stated users admins. Users who are absent are made; former admins become
  /// members, and their tokens end.
  ///
  /// @param stated absent: the admins stay
  /// @return whether others are admins now
  boolean bring(Tables tables, Origin origin, TenantId tenant, Optional<List<String>> stated) {
    SortedSet<UserId> wanted = check(origin, tenant, stated);
    SortedSet<UserId> present = new TreeSet<>(tables.access().admins(tenant));
    if (stated.isEmpty() || wanted.equals(present)) {
      return false;
    }
    List<UserId> made = tables.users().ensure(tenant, wanted, changes.now());
    if (!made.isEmpty()) {
      Accounts.requireRoom(AccountKinds.USERS, tables, tenant, FIELD);
      changes.recordAll(
          tables,
          origin,
          tenant,
          "CreateUser",
          made.stream().map(id -> new KeyOwner.OfUser(tenant, id).name()).toList());
    }
    for (UserId id : wanted) {
      if (!present.contains(id)) {
        set(tables, origin, tenant, id, true);
      }
    }
    for (UserId id : present) {
      if (!wanted.contains(id)) {
        set(tables, origin, tenant, id, false);
      }
    }
    return true;
  }

  private void set(Tables tables, Origin origin, TenantId tenant, UserId id, boolean isAdmin) {
    User before = tables.users().find(tenant, id).orElseThrow();
    User after = new User(tenant, id, before.displayName(), isAdmin, before.createdAt());
    Accounts.replace(AccountKinds.USERS, changes, tables, origin, before, after);
  }

  /// The stated users.
  ///
  /// @throws DeniedException one is no id, or the caller would lose the right to this change
  static SortedSet<UserId> check(Origin origin, TenantId tenant, Optional<List<String>> stated) {
    SortedSet<UserId> wanted = new TreeSet<>();
    if (stated.isEmpty()) {
      return wanted;
    }
    if (tenant.equals(TenantId.PLATFORM)) {
      throw new DeniedException(new Denial.PlatformHasPartsOnly());
    }
    for (String id : stated.get()) {
      if (!NameRule.isValid(id)) {
        throw new DeniedException(new Denial.InvalidName(FIELD, Kind.USER, id));
      }
      if (!wanted.add(new UserId(id))) {
        throw new DeniedException(new Denial.Duplicate(FIELD, Kind.USER, id));
      }
    }
    boolean isAdmin = origin.required().role() == PrincipalRole.TENANT_ADMIN;
    String caller = origin.required().subject();
    if (isAdmin
        && wanted.stream().noneMatch(id -> new KeyOwner.OfUser(tenant, id).name().equals(caller))) {
      String id = caller.substring(caller.lastIndexOf('/') + 1);
      throw new DeniedException(new Denial.AdminsWithoutCaller(FIELD, id));
    }
    return wanted;
  }
}
