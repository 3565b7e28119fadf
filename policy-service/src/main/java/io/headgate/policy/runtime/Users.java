package io.headgate.policy.runtime;

import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessConfiguration;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.identity.User;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.runtime.port.Tables;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// People of a tenant. Thread-safe.
public final class Users {
  private final Changes changes;
  private final AccessWriter access;

  public Users(Changes changes, AccessWriter access) {
    this.changes = changes;
    this.access = access;
  }

  /// What may be said about a user.
  public record Attributes(String displayName, boolean isAdmin) {}

  public User get(TenantId tenant, UserId id) {
    return changes.read(tables -> {
      Changes.find(tables, tenant);
      return find(tables, tenant, id);
    });
  }

  /// By id, after `after`.
  public List<User> list(TenantId tenant, Optional<UserId> after, int limit) {
    return changes.read(tables -> {
      Changes.find(tables, tenant);
      return tables.users().list(tenant, after, limit);
    });
  }

  public <R> R create(
      Origin origin, Once<User, R> once, TenantId tenant, UserId id, Attributes attributes) {
    return changes.once(
        once,
        tables -> {
          Changes.lock(tables, tenant);
          User user =
              new User(tenant, id, attributes.displayName(), attributes.isAdmin(), changes.now());
          if (!tables.users().insert(user)) {
            throw new DeniedException(new Denial.NameTaken("user_id", Kind.USER, id.value()));
          }
          record(tables, origin, "CreateUser", user, Map.of(), fields(user));
          return user;
        });
  }

  public User update(Origin origin, TenantId tenant, UserId id, UnaryOperator<Attributes> edit) {
    return changes.change(tables -> {
      Changes.lock(tables, tenant);
      User before = find(tables, tenant, id);
      Attributes next = edit.apply(new Attributes(before.displayName(), before.isAdmin()));
      User after = new User(tenant, id, next.displayName(), next.isAdmin(), before.createdAt());
      if (!after.equals(before)) {
        tables.users().update(after);
        record(tables, origin, "UpdateUser", after, fields(before), fields(after));
      }
      return after;
    });
  }

  /// Removes the user: its keys stop working for ever, and it leaves its groups.
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
