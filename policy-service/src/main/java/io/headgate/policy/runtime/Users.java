package io.headgate.policy.runtime;

import io.headgate.kit.decision.DeniedException;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessConfiguration;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.identity.User;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.runtime.port.AuditEntry;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.Tables;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// People of a tenant. Thread-safe.
public final class Users implements TenantResources<UserId, User, Users.Wanted> {
  private final Changes changes;
  private final AccessWriter access;

  public Users(Changes changes, AccessWriter access) {
    this.changes = changes;
    this.access = access;
  }

  /// A user as somebody asks for it.
  public record Wanted(UserId id, String displayName, boolean isAdmin) {}

  @Override
  public User get(TenantId tenant, UserId id) {
    return changes.read(tables -> {
      Changes.find(tables, tenant);
      return find(tables, tenant, id);
    });
  }

  @Override
  public List<User> list(TenantId tenant, Optional<UserId> after, int limit) {
    return changes.read(tables -> {
      Changes.find(tables, tenant);
      return tables.users().list(tenant, after, limit);
    });
  }

  @Override
  public <R> R create(Origin origin, Once<User, R> once, TenantId tenant, Wanted wanted) {
    return changes.once(
        once,
        tables -> {
          Changes.lock(tables, tenant);
          User user = user(tenant, wanted, changes.now());
          if (!tables.users().insert(user)) {
            throw new DeniedException(
                new Denial.NameTaken("user_id", Kind.USER, wanted.id().value()));
          }
          requireRoom(tables, tenant, "user_id");
          record(tables, origin, "CreateUser", user, Map.of(), fields(user));
          return user;
        });
  }

  @Override
  public User update(Origin origin, TenantId tenant, UserId id, Function<User, Wanted> edit) {
    return changes.change(tables -> {
      Changes.lock(tables, tenant);
      User before = find(tables, tenant, id);
      User after = user(tenant, edit.apply(before), before.createdAt());
      if (!after.equals(before)) {
        tables.users().update(after);
        record(tables, origin, "UpdateUser", after, fields(before), fields(after));
      }
      return after;
    });
  }

  /// Removes the user: its keys stop working for ever, and it leaves its groups.
  @Override
  public void delete(Origin origin, TenantId tenant, UserId id) {
    changes.change(tables -> {
      Changes.lock(tables, tenant);
      User user = find(tables, tenant, id);
      access.edit(tables, origin, tenant, (AccessConfiguration current) -> current.withoutUser(id));
      tables
          .keys()
          .revokeAll(new KeyOwner.OfUser(tenant, id), changes.now(), origin.required().subject());
      tables.users().delete(tenant, id);
      record(tables, origin, "DeleteUser", user, fields(user), Map.of());
      return user;
    });
  }

  /// Called when the user, or users, are in their table: the bound holds for what would be.
  ///
  /// @param field of the request that asks for one more
  static void requireRoom(Tables tables, TenantId tenant, String field) {
    if (tables.users().count(tenant) > User.MAX_PER_TENANT) {
      throw new DeniedException(new Denial.TooMany(field, Kind.USER, User.MAX_PER_TENANT));
    }
  }

  private static User user(TenantId tenant, Wanted wanted, Instant createdAt) {
    return new User(tenant, wanted.id(), wanted.displayName(), wanted.isAdmin(), createdAt);
  }

  private static User find(Tables tables, TenantId tenant, UserId id) {
    return tables
        .users()
        .find(tenant, id)
        .orElseThrow(() -> new DeniedException(new Denial.NotFound(Kind.USER, id.value())));
  }

  private void record(
      Tables tables,
      Origin origin,
      String action,
      User user,
      Map<String, String> before,
      Map<String, String> after) {
    changes.record(
        tables,
        origin,
        Optional.of(user.tenant()),
        action,
        new KeyOwner.OfUser(user.tenant(), user.id()).name(),
        AuditEntry.changes(before, after));
  }

  private static Map<String, String> fields(User user) {
    return Map.of("display_name", user.displayName(), "admin", Boolean.toString(user.isAdmin()));
  }
}
