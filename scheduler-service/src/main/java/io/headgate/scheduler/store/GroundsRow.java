package io.headgate.scheduler.store;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.PreemptionGrounds;
import io.headgate.type.GpuQuantity;
import java.time.Duration;

/// The grounds of a preemption in one cell: `acme/rnd 1134000 630000 acme/devops 0 630000 378000`,
/// which is both shares (policy, usage, reservation) and the need, in units of 1/126000 GPU. For a
/// move there follow the milliseconds that it loses. Names have neither blanks nor slashes.
final class GroundsRow {
  private static final int FIELDS = 7;

  private GroundsRow() {}

  static String text(PreemptionGrounds grounds) {
    String lost = grounds.lost().map(time -> " " + time.toMillis()).orElse("");
    return share(grounds.victim())
        + " "
        + share(grounds.winner())
        + " "
        + grounds.need().units()
        + lost;
  }

  static PreemptionGrounds grounds(String text) {
    String[] fields = text.split(" ", -1);
    if (fields.length != FIELDS && fields.length != FIELDS + 1) {
      throw new IllegalStateException("unknown format of a preemption's grounds: " + text);
    }
    PreemptionGrounds grounds =
        new PreemptionGrounds(share(fields, 0), share(fields, 3), quantity(fields[6]));
    return fields.length == FIELDS
        ? grounds
        : grounds.losing(Duration.ofMillis(Long.parseLong(fields[FIELDS])));
  }

  private static String share(PreemptionGrounds.Share share) {
    return "%s/%s %d %d"
        .formatted(
            share.policy().tenant().name(),
            share.policy().name(),
            share.usage().units(),
            share.reservation().units());
  }

  private static PreemptionGrounds.Share share(String[] fields, int first) {
    String[] policy = fields[first].split("/", -1);
    if (policy.length != 2) {
      throw new IllegalStateException("unknown format of a policy: " + fields[first]);
    }
    return new PreemptionGrounds.Share(
        new PolicyId(new TenantId(policy[0]), policy[1]),
        quantity(fields[first + 1]),
        quantity(fields[first + 2]));
  }

  private static GpuQuantity quantity(String units) {
    return new GpuQuantity(Long.parseLong(units));
  }
}
