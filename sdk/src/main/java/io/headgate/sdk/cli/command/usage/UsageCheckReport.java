package io.headgate.sdk.cli.command.usage;

import static io.headgate.sdk.cli.command.usage.GpuHours.amount;

import io.headgate.proto.scheduler.v1.CheckUsageResponse;
import io.headgate.proto.scheduler.v1.UsageIdentity;
import io.headgate.sdk.cli.command.shared.Period;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.JsonText;
import io.headgate.sdk.cli.output.YamlOfJson;
import java.math.BigInteger;

/// Prints whether the ledger agrees with itself and with events.
record UsageCheckReport(Invocation invocation) {
  private static final BigInteger PER_GPU_SECOND = BigInteger.valueOf(126_000_000);

  int print(Period period) {
    CheckUsageResponse report = invocation.session().usage().check(period.since(), period.until());
    switch (invocation.form().kind()) {
      case JSON -> invocation.output().line(JsonText.pretty(report));
      case YAML -> invocation.output().text(YamlOfJson.of(JsonText.pretty(report)));
      default -> {
        invocation
            .output()
            .line(
                Period.text(
                        UsageCommand.instant(report.getStartTime()),
                        UsageCommand.instant(report.getEndTime()))
                    + ", GPU-hours");
        report.getIdentitiesList().forEach(identity -> invocation.output().line(text(identity)));
      }
    }
    boolean closes = report.getIdentitiesList().stream().allMatch(UsageIdentity::getCloses);
    return closes ? ExitCode.DONE : ExitCode.REFUSED;
  }

  private static String text(UsageIdentity identity) {
    BigInteger ledger = amount(identity.getLedger());
    BigInteger recount = amount(identity.getRecount());
    return identity.getCloses()
        ? "ok      %s %s = %s"
            .formatted(identity.getSubject(), GpuHours.text(ledger), identity.getMethod())
        : "DIFFERS %s %s by the ledger, %s by %s: %s GPU-seconds"
            .formatted(
                identity.getSubject(),
                GpuHours.exact(ledger),
                GpuHours.exact(recount),
                identity.getMethod(),
                ledger.subtract(recount).divide(PER_GPU_SECOND));
  }
}
