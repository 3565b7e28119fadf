package io.headgate.policy.core.identity;

/// What a caller may be; a token carries exactly one.
public enum Role {
  PLATFORM_OPERATOR,
  TENANT_ADMIN,
  MEMBER,
  SERVICE_ACCOUNT,
  NODE,
  SERVICE
}
