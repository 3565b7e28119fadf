package io.headgate.policy.runtime;

import io.headgate.policy.core.access.AccessConfiguration;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.identity.ServiceAccount;
import io.headgate.policy.core.identity.ServiceAccountSpec;
import io.headgate.policy.core.identity.User;
import io.headgate.policy.core.identity.UserSpec;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.ServiceAccountId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.runtime.port.AccountTable;
import io.headgate.policy.runtime.port.Tables;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/// The two kinds of accounts.
public final class AccountKinds {
  public static final AccountKind<UserId, User, UserSpec> USERS = new Users();
  public static final AccountKind<ServiceAccountId, ServiceAccount, ServiceAccountSpec>
      SERVICE_ACCOUNTS = new ServiceAccounts();

  private AccountKinds() {}

  private static final class Users implements AccountKind<UserId, User, UserSpec> {
    @Override
    public Kind kind() {
      return Kind.USER;
    }

    @Override
    public String noun() {
      return "User";
    }

    @Override
    public int max() {
      return User.MAX_PER_TENANT;
    }

    @Override
    public AccountTable<UserId, User> table(Tables tables) {
      return tables.users();
    }

    @Override
    public KeyOwner owner(TenantId tenant, UserId id) {
      return new KeyOwner.OfUser(tenant, id);
    }

    @Override
    public User account(TenantId tenant, UserSpec spec, Instant createdAt) {
      return new User(tenant, spec.id(), spec.displayName(), spec.isAdmin(), createdAt);
    }

    @Override
    public Map<String, String> fields(User user) {
      return Map.of("display_name", user.displayName(), "admin", Boolean.toString(user.isAdmin()));
    }

    @Override
    public Optional<UserId> id(KeyOwner owner) {
      return owner instanceof KeyOwner.OfUser(var _, var id) ? Optional.of(id) : Optional.empty();
    }

    @Override
    public boolean governs(User user) {
      return user.isAdmin();
    }

    @Override
    public AccessConfiguration without(AccessConfiguration configuration, UserId id) {
      return configuration.withoutUser(id);
    }
  }

  private static final class ServiceAccounts
      implements AccountKind<ServiceAccountId, ServiceAccount, ServiceAccountSpec> {
    @Override
    public Kind kind() {
      return Kind.SERVICE_ACCOUNT;
    }

    @Override
    public String noun() {
      return "ServiceAccount";
    }

    @Override
    public int max() {
      return ServiceAccount.MAX_PER_TENANT;
    }

    @Override
    public AccountTable<ServiceAccountId, ServiceAccount> table(Tables tables) {
      return tables.serviceAccounts();
    }

    @Override
    public KeyOwner owner(TenantId tenant, ServiceAccountId id) {
      return new KeyOwner.OfServiceAccount(tenant, id);
    }

    @Override
    public ServiceAccount account(TenantId tenant, ServiceAccountSpec spec, Instant createdAt) {
      return new ServiceAccount(tenant, spec.id(), spec.displayName(), createdAt);
    }

    @Override
    public Map<String, String> fields(ServiceAccount account) {
      return Map.of("display_name", account.displayName());
    }

    @Override
    public Optional<ServiceAccountId> id(KeyOwner owner) {
      return owner instanceof KeyOwner.OfServiceAccount(var _, var id)
          ? Optional.of(id)
          : Optional.empty();
    }

    @Override
    public boolean governs(ServiceAccount account) {
      return false;
    }

    @Override
    public AccessConfiguration without(AccessConfiguration configuration, ServiceAccountId id) {
      return configuration.withoutServiceAccount(id);
    }
  }
}
