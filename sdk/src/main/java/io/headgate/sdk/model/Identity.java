package io.headgate.sdk.model;

import java.util.List;

/// The caller's identity and rights.
///
/// @param subject `tenants/acme/users/ada`, `operators/root`
/// @param role `MEMBER`, `TENANT_ADMIN`, …
/// @param tenant empty for a platform operator
/// @param queues queues that the caller may submit to
public record Identity(
    String subject, String role, String tenant, List<String> groups, List<String> queues) {
  public Identity {
    groups = List.copyOf(groups);
    queues = List.copyOf(queues);
  }

  /// The last part of the subject: what jobs carry as their user.
  public String user() {
    return subject.substring(subject.lastIndexOf('/') + 1);
  }
}
