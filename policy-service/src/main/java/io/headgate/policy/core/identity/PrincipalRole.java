package io.headgate.policy.core.identity;

/// The role of a caller; a token carries exactly one.
public enum PrincipalRole {
  PLATFORM_OPERATOR,
  TENANT_ADMIN,
  MEMBER,
  SERVICE_ACCOUNT,
  NODE,
  SERVICE
}
