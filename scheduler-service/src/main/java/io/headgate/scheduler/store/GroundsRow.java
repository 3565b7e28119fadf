package io.headgate.scheduler.store;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.PreemptionGrounds;
import io.headgate.scheduler.core.job.Weighing;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.OptionalInt;

/// The grounds of a preemption in one cell: `acme/rnd 1134000 630000 acme/devops 0 630000 378000`,
/// which is both shares (policy, usage, reservation) and the need, in units of 1/126000 GPU. For a
/// move there follow the milliseconds that it loses. For a preemption there follows what was
/// weighed: `ORDER 1 1 2016000 18000000 0`, which is way, considered, victims, freed units, lost
/// milliseconds, and smaller ones or `-`. Names have neither blanks nor slashes.
final class GroundsRow {
  private static final int FIELDS = 7;
  private static final int WEIGHED = FIELDS + 6;

  private GroundsRow() {}

  static String text(PreemptionGrounds grounds) {
    String lost = grounds.lost().map(time -> " " + time.toMillis()).orElse("");
    return share(grounds.victim())
        + " "
        + share(grounds.winner())
        + " "
        + grounds.need().units()
        + lost
        + grounds.weighing().map(GroundsRow::text).orElse("");
  }

  static PreemptionGrounds grounds(String text) {
    String[] fields = text.split(" ", -1);
    if (fields.length != FIELDS && fields.length != FIELDS + 1 && fields.length != WEIGHED) {
      throw new IllegalStateException("unknown format of a preemption's grounds: " + text);
    }
    PreemptionGrounds grounds =
        new PreemptionGrounds(share(fields, 0), share(fields, 3), quantity(fields[6]));
    return switch (fields.length) {
      case FIELDS -> grounds;
      case WEIGHED -> grounds.weighed(weighing(fields));
      default -> grounds.losing(Duration.ofMillis(Long.parseLong(fields[FIELDS])));
    };
  }

  private static String text(Weighing weighing) {
    return " %s %d %d %d %d %s"
        .formatted(
            weighing.way().name(),
            weighing.considered(),
            weighing.victims(),
            weighing.freed().units(),
            weighing.lost().toMillis(),
            weighing.smaller().isPresent() ? "" + weighing.smaller().getAsInt() : "-");
  }

  private static Weighing weighing(String[] fields) {
    return new Weighing(
        Weighing.Way.valueOf(fields[FIELDS]),
        Integer.parseInt(fields[FIELDS + 1]),
        Integer.parseInt(fields[FIELDS + 2]),
        quantity(fields[FIELDS + 3]),
        Duration.ofMillis(Long.parseLong(fields[FIELDS + 4])),
        fields[FIELDS + 5].equals("-")
            ? OptionalInt.empty()
            : OptionalInt.of(Integer.parseInt(fields[FIELDS + 5])));
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
