package io.headgate.policy.store;

import static io.headgate.policy.store.jooq.Tables.GROUP_USERS;
import static io.headgate.policy.store.jooq.Tables.USERS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.noCondition;

import io.headgate.policy.core.identity.User;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.runtime.port.UserTable;
import io.headgate.policy.store.jooq.tables.records.UsersRecord;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/// Rows of `users`.
final class PostgresUsers implements UserTable {
  /// One statement, because there may be tens of thousands.
  private static final String INSERT_ALL =
      """
      insert into users (tenant_id, created_at, user_id, display_name, is_admin)
      select {0}, {1}, each.* from unnest({2}, {3}, {4}) as each\
      """;

  private final DSLContext dsl;

  PostgresUsers(DSLContext dsl) {
    this.dsl = dsl;
  }

  @Override
  public Optional<User> find(TenantId tenant, UserId id) {
    return dsl.selectFrom(USERS).where(is(tenant, id)).fetchOptional(PostgresUsers::user);
  }

  @Override
  public List<User> list(TenantId tenant, Optional<UserId> after, int limit) {
    return dsl.selectFrom(USERS)
        .where(USERS.TENANT_ID.eq(tenant.value()))
        .and(after.map(id -> USERS.USER_ID.gt(id.value())).orElse(noCondition()))
        .orderBy(USERS.USER_ID)
        .limit(limit)
        .fetch(PostgresUsers::user);
  }

  @Override
  public Set<UserId> existing(TenantId tenant, Collection<UserId> ids) {
    String[] asked = ids.stream().map(UserId::value).toArray(String[]::new);
    return new HashSet<>(
        dsl.select(USERS.USER_ID)
            .from(USERS)
            .where(USERS.TENANT_ID.eq(tenant.value()))
            .and(USERS.USER_ID.eq(any(asked)))
            .fetch(row -> new UserId(row.value1())));
  }

  @Override
  public int count(TenantId tenant) {
    return dsl.fetchCount(USERS, USERS.TENANT_ID.eq(tenant.value()));
  }

  @Override
  public boolean insert(User user) {
    return dsl.insertInto(USERS)
            .set(USERS.TENANT_ID, user.tenant().value())
            .set(USERS.USER_ID, user.id().value())
            .set(USERS.DISPLAY_NAME, user.displayName())
            .set(USERS.IS_ADMIN, user.isAdmin())
            .set(USERS.CREATED_AT, user.createdAt())
            .onConflictDoNothing()
            .execute()
        == 1;
  }

  @Override
  public List<UserId> ensure(TenantId tenant, Collection<UserId> ids, Instant now) {
    Set<UserId> known = existing(tenant, ids);
    List<UserId> missing = ids.stream().filter(id -> !known.contains(id)).sorted().toList();
    List<User> users = missing.stream().map(id -> User.member(tenant, id, now)).toList();
    dsl.execute(
        INSERT_ALL,
        DSL.val(tenant.value()),
        DSL.val(now, USERS.CREATED_AT),
        DSL.val(users.stream().map(user -> user.id().value()).toArray(String[]::new)),
        DSL.val(users.stream().map(User::displayName).toArray(String[]::new)),
        DSL.val(users.stream().map(User::isAdmin).toArray(Boolean[]::new)));
    return missing;
  }

  @Override
  public void update(User user) {
    dsl.update(USERS)
        .set(USERS.DISPLAY_NAME, user.displayName())
        .set(USERS.IS_ADMIN, user.isAdmin())
        .where(is(user.tenant(), user.id()))
        .execute();
  }

  @Override
  public void delete(TenantId tenant, UserId id) {
    dsl.deleteFrom(USERS).where(is(tenant, id)).execute();
  }

  @Override
  public List<GroupId> groups(TenantId tenant, UserId id) {
    return dsl.select(GROUP_USERS.GROUP_ID)
        .from(GROUP_USERS)
        .where(GROUP_USERS.TENANT_ID.eq(tenant.value()))
        .and(GROUP_USERS.USER_ID.eq(id.value()))
        .orderBy(GROUP_USERS.GROUP_ID)
        .fetch(row -> new GroupId(row.value1()));
  }

  private static Condition is(TenantId tenant, UserId id) {
    return USERS.TENANT_ID.eq(tenant.value()).and(USERS.USER_ID.eq(id.value()));
  }

  private static User user(UsersRecord row) {
    return new User(
        new TenantId(row.getTenantId()),
        new UserId(row.getUserId()),
        row.getDisplayName(),
        row.getIsAdmin(),
        row.getCreatedAt());
  }
}
