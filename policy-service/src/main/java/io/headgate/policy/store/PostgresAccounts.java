package io.headgate.policy.store;

import static io.headgate.policy.store.jooq.Tables.GROUP_SERVICE_ACCOUNTS;
import static io.headgate.policy.store.jooq.Tables.GROUP_USERS;
import static io.headgate.policy.store.jooq.Tables.SERVICE_ACCOUNTS;
import static io.headgate.policy.store.jooq.Tables.USERS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.val;

import io.headgate.policy.core.identity.Account;
import io.headgate.policy.core.identity.ServiceAccount;
import io.headgate.policy.core.identity.User;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.ServiceAccountId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.runtime.port.AccountTable;
import io.headgate.policy.store.jooq.tables.records.ServiceAccountsRecord;
import io.headgate.policy.store.jooq.tables.records.UsersRecord;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.TableField;
import org.jooq.UpdatableRecord;

/// Rows of `users` or `service_accounts`.
final class PostgresAccounts<
        I extends Comparable<I>, T extends Account<I>, R extends UpdatableRecord<R>>
    implements AccountTable<I, T> {
  private static final Columns<UserId, User, UsersRecord> USER_COLUMNS =
      new Columns<>(
          USERS,
          USERS.TENANT_ID,
          USERS.USER_ID,
          new Memberships(GROUP_USERS.TENANT_ID, GROUP_USERS.USER_ID, GROUP_USERS.GROUP_ID),
          """
          insert into users (tenant_id, created_at, user_id, display_name, is_admin)
          select {0}, {1}, each, '', false from unnest({2}) as each\
          """,
          UserId::new,
          PostgresAccounts::user,
          user ->
              new UsersRecord(
                  user.tenant().value(),
                  user.id().value(),
                  user.displayName(),
                  user.isAdmin(),
                  user.createdAt()));

  private static final Columns<ServiceAccountId, ServiceAccount, ServiceAccountsRecord>
      SERVICE_ACCOUNT_COLUMNS =
          new Columns<>(
              SERVICE_ACCOUNTS,
              SERVICE_ACCOUNTS.TENANT_ID,
              SERVICE_ACCOUNTS.SERVICE_ACCOUNT_ID,
              new Memberships(
                  GROUP_SERVICE_ACCOUNTS.TENANT_ID,
                  GROUP_SERVICE_ACCOUNTS.SERVICE_ACCOUNT_ID,
                  GROUP_SERVICE_ACCOUNTS.GROUP_ID),
              """
              insert into service_accounts (tenant_id, created_at, service_account_id, display_name)
              select {0}, {1}, each, '' from unnest({2}) as each\
              """,
              ServiceAccountId::new,
              PostgresAccounts::serviceAccount,
              account ->
                  new ServiceAccountsRecord(
                      account.tenant().value(),
                      account.id().value(),
                      account.displayName(),
                      account.createdAt()));

  private final DSLContext dsl;
  private final Columns<I, T, R> columns;

  /// The differences between the two tables.
  ///
  /// @param insertAll inserts empty accounts with the ids of an array, in one statement because
  ///   there may be tens of thousands
  private record Columns<I, T, R extends UpdatableRecord<R>>(
      Table<R> table,
      Field<String> tenant,
      Field<String> id,
      Memberships memberships,
      String insertAll,
      Function<String, I> toId,
      Function<R, T> toAccount,
      Function<T, R> toRow) {}

  /// The columns of the table that puts accounts into groups.
  private record Memberships(
      Field<String> tenant, Field<String> account, TableField<?, String> group) {
    Table<?> table() {
      return group.getTable();
    }
  }

  private PostgresAccounts(DSLContext dsl, Columns<I, T, R> columns) {
    this.dsl = dsl;
    this.columns = columns;
  }

  static AccountTable<UserId, User> users(DSLContext dsl) {
    return new PostgresAccounts<>(dsl, USER_COLUMNS);
  }

  static AccountTable<ServiceAccountId, ServiceAccount> serviceAccounts(DSLContext dsl) {
    return new PostgresAccounts<>(dsl, SERVICE_ACCOUNT_COLUMNS);
  }

  @Override
  public Optional<T> find(TenantId tenant, I id) {
    return dsl.selectFrom(columns.table())
        .where(is(tenant, id))
        .fetchOptional()
        .map(columns.toAccount());
  }

  @Override
  public List<T> list(TenantId tenant, Optional<I> after, int limit) {
    return dsl
        .selectFrom(columns.table())
        .where(columns.tenant().eq(tenant.value()))
        .and(after.map(id -> columns.id().gt(id.toString())).orElse(noCondition()))
        .orderBy(columns.id())
        .limit(limit)
        .fetch()
        .stream()
        .map(columns.toAccount())
        .toList();
  }

  @Override
  public Set<I> existing(TenantId tenant, Collection<I> ids) {
    return new HashSet<>(
        dsl.select(columns.id())
            .from(columns.table())
            .where(columns.tenant().eq(tenant.value()))
            .and(columns.id().eq(any(texts(ids))))
            .fetch(row -> columns.toId().apply(row.value1())));
  }

  @Override
  public int count(TenantId tenant) {
    return dsl.fetchCount(columns.table(), columns.tenant().eq(tenant.value()));
  }

  @Override
  public boolean insert(T account) {
    return dsl.insertInto(columns.table())
            .set(columns.toRow().apply(account))
            .onConflictDoNothing()
            .execute()
        == 1;
  }

  @Override
  public List<I> ensure(TenantId tenant, Collection<I> ids, Instant now) {
    Set<I> known = existing(tenant, ids);
    List<I> missing = ids.stream().filter(id -> !known.contains(id)).sorted().toList();
    dsl.execute(
        columns.insertAll(), val(tenant.value()), val(now, USERS.CREATED_AT), val(texts(missing)));
    return missing;
  }

  @Override
  public void update(T account) {
    dsl.executeUpdate(columns.toRow().apply(account));
  }

  @Override
  public void delete(TenantId tenant, I id) {
    dsl.deleteFrom(columns.table()).where(is(tenant, id)).execute();
  }

  @Override
  public List<GroupId> groups(TenantId tenant, I id) {
    Memberships memberships = columns.memberships();
    return dsl.select(memberships.group())
        .from(memberships.table())
        .where(memberships.tenant().eq(tenant.value()))
        .and(memberships.account().eq(id.toString()))
        .orderBy(memberships.group())
        .fetch(row -> new GroupId(row.value1()));
  }

  private Condition is(TenantId tenant, I id) {
    return columns.tenant().eq(tenant.value()).and(columns.id().eq(id.toString()));
  }

  private static <I> String[] texts(Collection<I> ids) {
    return ids.stream().map(Object::toString).toArray(String[]::new);
  }

  private static User user(UsersRecord row) {
    return new User(
        new TenantId(row.getTenantId()),
        new UserId(row.getUserId()),
        row.getDisplayName(),
        row.getIsAdmin(),
        row.getCreatedAt());
  }

  private static ServiceAccount serviceAccount(ServiceAccountsRecord row) {
    return new ServiceAccount(
        new TenantId(row.getTenantId()),
        new ServiceAccountId(row.getServiceAccountId()),
        row.getDisplayName(),
        row.getCreatedAt());
  }
}
