package io.headgate.policy.runtime;

import io.headgate.policy.core.access.AccessConfiguration;
import io.headgate.policy.core.identity.Account;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.AccountTable;
import io.headgate.policy.runtime.port.Tables;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/// The differences between users and service accounts.
///
/// @param <I> id of an account
/// @param <T> account
/// @param <S> account as a request describes it
public interface AccountKind<I, T extends Account<I>, S> {
  Kind kind();

  /// The noun in the names of RPCs, `User` in `CreateUser`.
  String noun();

  /// Accounts that a tenant may have.
  int max();

  AccountTable<I, T> table(Tables tables);

  KeyOwner owner(TenantId tenant, I id);

  T account(TenantId tenant, S spec, Instant createdAt);

  /// The account as text by field, for the audit log.
  Map<String, String> fields(T account);

  /// The account's id, if it is one of this kind.
  Optional<I> id(KeyOwner owner);

  /// Whether the account is an admin of its tenant.
  boolean governs(T account);

  /// The configuration without mentions of the account.
  AccessConfiguration without(AccessConfiguration configuration, I id);

  /// The field of a creating request that holds the new id.
  default String idField() {
    return kind().word().replace(' ', '_') + "_id";
  }
}
