package io.headgate.scheduler.store;

import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.HeadroomHold;
import io.headgate.scheduler.core.job.HeadroomScope;
import io.headgate.scheduler.core.job.HeadroomScope.Bound;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// The limits in which a job holds headroom in one cell: `LIMIT LIMIT/research LIMIT@acme/h100`,
/// which is the limit of its policy, that of a department, and that of its tenant in a pool. Names
/// have neither blanks nor slashes nor at signs.
final class HeadroomRow {
  private HeadroomRow() {}

  static String text(HeadroomHold hold) {
    return hold.scopes().stream().map(HeadroomRow::text).collect(Collectors.joining(" "));
  }

  private static String text(HeadroomScope scope) {
    return scope.bound().name()
        + scope.department().map(each -> "/" + each.name()).orElse("")
        + scope.pool().map(each -> "@" + each.tenant().name() + "/" + each.name()).orElse("");
  }

  /// @param limits the cell; empty: the job holds none
  static Optional<HeadroomHold> hold(
      TenantId tenant, Optional<String> limits, Optional<Instant> start, Optional<Instant> until) {
    return limits.map(text -> new HeadroomHold(scopes(tenant, text), start, until));
  }

  private static List<HeadroomScope> scopes(TenantId tenant, String text) {
    List<HeadroomScope> scopes = new ArrayList<>();
    for (String each : text.split(" ", -1)) {
      scopes.add(scope(tenant, each));
    }
    return scopes;
  }

  private static HeadroomScope scope(TenantId tenant, String text) {
    int at = text.indexOf('@');
    int slash = text.indexOf('/');
    if (at >= 0) {
      PoolId pool =
          new PoolId(new TenantId(text.substring(at + 1, slash)), text.substring(slash + 1));
      return HeadroomScope.ofTenant(Bound.valueOf(text.substring(0, at)), pool);
    }
    if (slash >= 0) {
      DepartmentId department = new DepartmentId(tenant, text.substring(slash + 1));
      return HeadroomScope.of(Bound.valueOf(text.substring(0, slash)), department);
    }
    return HeadroomScope.ofPolicy(Bound.valueOf(text));
  }
}
