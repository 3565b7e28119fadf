package io.headgate.policy.runtime.port;

import io.headgate.policy.core.identity.ServiceAccount;
import io.headgate.policy.core.identity.User;
import io.headgate.policy.core.name.ServiceAccountId;
import io.headgate.policy.core.name.UserId;

/// All tables inside of one transaction.
public interface Tables {
  TenantTable tenants();

  AccountTable<UserId, User> users();

  AccountTable<ServiceAccountId, ServiceAccount> serviceAccounts();

  AccessTable access();

  ChangeTable changes();

  KeyTable keys();

  JoinTokenTable joinTokens();

  SigningKeyTable signingKeys();

  RevocationTable revocations();

  AuditTable audit();

  RequestTable requests();
}
