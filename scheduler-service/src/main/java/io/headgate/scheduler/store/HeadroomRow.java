package io.headgate.scheduler.store;

import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.HeadroomHold;
import io.headgate.scheduler.core.job.HeadroomScope;
import io.headgate.scheduler.core.job.HeadroomScope.Bound;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// The limits in which a job holds headroom in one cell: `LIMIT LIMIT/research`, which is the limit
/// of its policy and that of a department. Names have neither blanks nor slashes.
final class HeadroomRow {
  private HeadroomRow() {}

  static String text(HeadroomHold hold) {
    return hold.scopes().stream().map(HeadroomRow::text).collect(Collectors.joining(" "));
  }

  private static String text(HeadroomScope scope) {
    return scope.bound().name() + scope.department().map(each -> "/" + each.name()).orElse("");
  }

  /// @param limits the cell; empty: the job holds none
  static Optional<HeadroomHold> hold(
      TenantId tenant, Optional<String> limits, Optional<Instant> start, Optional<Instant> until) {
    return limits.map(text -> new HeadroomHold(scopes(tenant, text), start, until));
  }

  private static List<HeadroomScope> scopes(TenantId tenant, String text) {
    List<HeadroomScope> scopes = new ArrayList<>();
    for (String each : text.split(" ", -1)) {
      int slash = each.indexOf('/');
      scopes.add(
          slash < 0
              ? HeadroomScope.ofPolicy(Bound.valueOf(each))
              : HeadroomScope.of(
                  Bound.valueOf(each.substring(0, slash)),
                  new DepartmentId(tenant, each.substring(slash + 1))));
    }
    return scopes;
  }
}
