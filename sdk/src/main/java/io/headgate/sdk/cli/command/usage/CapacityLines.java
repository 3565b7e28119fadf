package io.headgate.sdk.cli.command.usage;

import static io.headgate.sdk.cli.command.usage.GpuHours.amount;

import io.headgate.proto.scheduler.v1.CapacityRow;
import io.headgate.proto.scheduler.v1.ReportCapacityResponse;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/// The capacity of pools, one line each.
final class CapacityLines {
  private CapacityLines() {}

  static List<String> of(ReportCapacityResponse report) {
    List<String> lines = new ArrayList<>();
    for (CapacityRow pool : report.getPoolsList()) {
      BigInteger used =
          amount(pool.getEntitled())
              .add(amount(pool.getOverReservation()))
              .add(amount(pool.getAboveLimit()));
      String unusable =
          amount(pool.getUnusable()).signum() == 0
              ? ""
              : " (%s of it no job could use)".formatted(GpuHours.text(amount(pool.getUnusable())));
      lines.add(
          "pool %s: capacity %s = %s used + %s held + %s idle%s + %s down"
              .formatted(
                  pool.getPool(),
                  GpuHours.text(amount(pool.getCapacity())),
                  GpuHours.text(used),
                  GpuHours.text(amount(pool.getHeld())),
                  GpuHours.text(amount(pool.getIdle())),
                  unusable,
                  GpuHours.text(amount(pool.getDown()))));
    }
    return lines;
  }
}
