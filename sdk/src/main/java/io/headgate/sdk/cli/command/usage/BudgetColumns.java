package io.headgate.sdk.cli.command.usage;

import com.google.protobuf.Timestamp;
import io.headgate.proto.policy.v1.Budget;
import io.headgate.proto.scheduler.v1.BudgetUse;
import io.headgate.sdk.cli.output.Cell;
import io.headgate.sdk.cli.output.Column;
import io.headgate.sdk.cli.output.Listing;
import io.headgate.sdk.cli.output.Style;
import io.headgate.sdk.cli.output.TimeText;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/// The columns of the list of budgets.
final class BudgetColumns {
  private static final String GPU_HOURS = "GPU-h";
  private static final int PERCENT = 100;

  private BudgetColumns() {}

  static Listing<BudgetUse> listing(TimeText times) {
    return new Listing<>(
        "budgets",
        List.of("budgets"),
        BudgetColumns::name,
        List.of(
            Column.of("BUDGET", use -> Cell.of(name(use))),
            Column.<BudgetUse>of("PER", use -> Cell.of(word(use.getBudget().getPer(), "PER_")))
                .leaving(1),
            Column.<BudgetUse>of("USED", use -> isCounted(use) ? Cell.of(used(use)) : Cell.NONE)
                .toRight()
                .plainly(use -> isCounted(use) ? used(use, "").toPlainString() : "")
                .sortedBy(use -> used(use, "0")),
            Column.<BudgetUse>of("OF", use -> Cell.of(exact(use) + " " + unit(use)))
                .toRight()
                .plainly(use -> amount(use).toPlainString())
                .sortedBy(BudgetColumns::amount),
            Column.<BudgetUse>of("UNIT", use -> Cell.of(unit(use))).whenWide(),
            Column.<BudgetUse>of(
                    "PART", use -> isCounted(use) ? Cell.of(percent(use, 0) + " %") : Cell.NONE)
                .toRight()
                .plainly(use -> isCounted(use) ? percent(use, 3).toPlainString() : "")
                .sortedBy(use -> percent(use, 3))
                .leaving(2),
            Column.of("STATE", BudgetColumns::state),
            Column.<BudgetUse>of("RUNS OUT", use -> runsOut(use, times))
                .plainly(use -> machine(use.hasExpectedSpentTime(), use.getExpectedSpentTime())),
            Column.<BudgetUse>of("WHEN SPENT", use -> Cell.of(whenSpent(use.getBudget())))
                .leaving(3),
            Column.<BudgetUse>of("WARN AT", use -> Cell.of(warnAt(use) + " %"))
                .toRight()
                .plainly(use -> Integer.toString(warnAt(use)))
                .sortedBy(BudgetColumns::warnAt)
                .whenWide(),
            time("BEGAN", BudgetUse::hasStartTime, BudgetUse::getStartTime, times),
            time("ENDS", BudgetUse::hasEndTime, BudgetUse::getEndTime, times),
            time("COUNTED", BudgetUse::hasReadTime, BudgetUse::getReadTime, times)));
  }

  /// `tenant`, `department/science`, `policy/ai-dev`.
  private static String name(BudgetUse use) {
    String level = word(use.getLevel(), "LEVEL_");
    return use.getLevel() == BudgetUse.Level.LEVEL_TENANT ? level : level + "/" + use.getId();
  }

  private static boolean isCounted(BudgetUse use) {
    return use.getState() != BudgetUse.State.STATE_UNSPECIFIED;
  }

  private static String unit(BudgetUse use) {
    return isTime(use) ? GPU_HOURS : use.getBudget().getCurrency();
  }

  private static boolean isTime(BudgetUse use) {
    return use.getBudget().getCost().isEmpty();
  }

  private static BigDecimal amount(BudgetUse use) {
    return new BigDecimal(isTime(use) ? use.getBudget().getGpuHours() : use.getBudget().getCost());
  }

  /// @param none stands for an absent number
  private static BigDecimal used(BudgetUse use, String none) {
    return new BigDecimal(use.getUsed().isEmpty() ? none : use.getUsed());
  }

  /// Rounded down, as [#percent]: GPU time of 100 hours or more to hours.
  private static String used(BudgetUse use) {
    BigDecimal used = used(use, "0");
    boolean isWhole = isTime(use) && used.compareTo(BigDecimal.valueOf(100)) >= 0;
    return grouped(used.setScale(isWhole ? 0 : 2, RoundingMode.DOWN));
  }

  /// As configured, money with two decimals at least.
  private static String exact(BudgetUse use) {
    BigDecimal amount = amount(use).stripTrailingZeros();
    return grouped(amount.setScale(Math.max(isTime(use) ? 0 : 2, amount.scale())));
  }

  private static String grouped(BigDecimal number) {
    return String.format(Locale.ROOT, "%,." + number.scale() + "f", number);
  }

  /// Rounded down: 100 % are used when all is used, and not before.
  private static BigDecimal percent(BudgetUse use, int places) {
    return used(use, "0")
        .multiply(BigDecimal.valueOf(PERCENT))
        .divide(amount(use), places, RoundingMode.DOWN);
  }

  private static Cell state(BudgetUse use) {
    return switch (use.getState()) {
      case STATE_OK -> Cell.of("ok");
      case STATE_WARNED -> Cell.of(Style.WAITING, "warned");
      case STATE_SPENT -> Cell.of(Style.BAD, "spent");
      case STATE_UNSPECIFIED, UNRECOGNIZED -> Cell.of(Style.DIM, "uncounted");
    };
  }

  private static Cell runsOut(BudgetUse use, TimeText times) {
    if (!use.hasExpectedSpentTime()) {
      return Cell.NONE;
    }
    var time = UsageCommand.instant(use.getExpectedSpentTime());
    return Cell.of(times.form() == TimeText.Form.RELATIVE ? times.until(time) : times.at(time));
  }

  /// Absent means that the scheduler warns.
  private static String whenSpent(Budget budget) {
    return budget.getWhenSpent() == Budget.WhenSpent.WHEN_SPENT_UNSPECIFIED
        ? "warn"
        : word(budget.getWhenSpent(), "WHEN_SPENT_");
  }

  private static int warnAt(BudgetUse use) {
    int part = use.getBudget().getWarnAt();
    return part == 0 ? io.headgate.sdk.config.Budget.DEFAULT_WARN_AT : part;
  }

  private static Column<BudgetUse> time(
      String column,
      Function<BudgetUse, Boolean> isSet,
      Function<BudgetUse, Timestamp> time,
      TimeText times) {
    return Column.<BudgetUse>of(
            column,
            use ->
                isSet.apply(use)
                    ? Cell.of(times.exact(UsageCommand.instant(time.apply(use))))
                    : Cell.NONE)
        .plainly(use -> machine(isSet.apply(use), time.apply(use)))
        .whenWide();
  }

  private static String machine(boolean isSet, Timestamp time) {
    return isSet ? TimeText.machine(UsageCommand.instant(time)) : "";
  }

  private static String word(Enum<?> value, String prefix) {
    return value.name().replace(prefix, "").toLowerCase(Locale.ROOT);
  }
}
