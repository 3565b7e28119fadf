package io.headgate.scheduler.grpc;

import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.auth.Role;
import io.headgate.kit.failure.Refusal;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.runtime.record.JobName;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Parses resource names, and checks the caller's rights to them.
final class Names {
  private static final String ID = "[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?";

  /// An element of an array: `sweep-1.7`.
  private static final String ELEMENT = "(?:\\.[1-9][0-9]{0,5})?";

  private static final Pattern TENANT = Pattern.compile("tenants/(" + ID + ")");
  private static final Pattern JOB =
      Pattern.compile("tenants/(" + ID + ")/jobs/(" + ID + ELEMENT + ")");

  private Names() {}

  /// The tenant that `parent` names, if the caller may know of it.
  static TenantId tenant(String parent) {
    Matcher parts = TENANT.matcher(parent);
    if (!parts.matches()) {
      throw Refusal.invalidField(
              "INVALID_NAME", "parent", "'" + parent + "' is not a tenant: write tenants/ID")
          .exception();
    }
    return new TenantId(Principals.requireTenant(parent));
  }

  /// The job that `name` names, if the caller may know of its tenant.
  static JobName job(String name) {
    Matcher parts = JOB.matcher(name);
    if (!parts.matches()) {
      throw Refusal.invalidField(
              "INVALID_NAME",
              "name",
              "'%s' is not a job: an id has small letters, digits and -, and may end in .NUMBER"
                  .formatted(name.replaceFirst("^tenants/[^/]*/jobs/", "")))
          .exception();
    }
    return new JobName(new TenantId(Principals.requireTenant(name)), parts.group(2));
  }

  /// A job as an agent names it; empty parts if it is not one.
  static JobName reported(String name) {
    Matcher parts = JOB.matcher(name);
    return parts.matches()
        ? new JobName(new TenantId(parts.group(1)), parts.group(2))
        : new JobName(new TenantId(""), name);
  }

  static Refusal jobNotFound(JobName name) {
    return Refusal.notFound(
            "JOB_NOT_FOUND",
            "there is no job '%s' in tenant %s".formatted(name.id(), name.tenant()))
        .withMetadata("job", name.id());
  }

  /// The last part of the caller's name.
  static UserId user(Principal principal) {
    String subject = principal.subject();
    return new UserId(subject.substring(subject.lastIndexOf('/') + 1));
  }

  /// Whether the caller governs the tenants it may enter.
  static boolean governs(Principal principal) {
    return principal.role() == Role.TENANT_ADMIN || principal.role() == Role.PLATFORM_OPERATOR;
  }
}
