package io.headgate.policy.runtime.port;

/// Everything durable, inside of one transaction.
public interface Tables {
  TenantTable tenants();

  UserTable users();

  ServiceAccountTable serviceAccounts();

  AccessTable access();

  KeyTable keys();

  JoinTokenTable joinTokens();

  SigningKeyTable signingKeys();

  AuditTable audit();

  RequestTable requests();
}
