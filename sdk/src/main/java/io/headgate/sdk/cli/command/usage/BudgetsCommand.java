package io.headgate.sdk.cli.command.usage;

import io.headgate.proto.scheduler.v1.BudgetUse;
import io.headgate.sdk.cli.command.shared.NamedList;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.frame.ListFlags;
import io.headgate.sdk.cli.output.Listing;
import io.headgate.sdk.cli.output.OutputForm;
import io.headgate.sdk.cli.output.Row;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `headgate budgets`.
@Command(
    header = {
      "headgate budgets                   what is used of each budget in its present period",
      "headgate budgets policy/ai-dev     one budget with all its fields",
      "headgate budgets --filter state=spent",
      ""
    },
    description = {
      "Lists budgets: what the jobs of a tenant, a department or a policy may use in a period, and"
          + " what they used. Periods begin at midnight UTC.",
      "RUNS OUT is the time until all of it is used, if use goes on as in the period so far."
    })
public final class BudgetsCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final ListFlags list = new ListFlags();

  @Parameters(
      arity = "0..1",
      paramLabel = "BUDGET",
      description = "Show only this one: tenant, department/NAME or policy/NAME.")
  private @Nullable String name;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws InterruptedException {
    Listing<BudgetUse> listing = BudgetColumns.listing(invocation.output().times());
    Supplier<List<Row<BudgetUse>>> fetch = () -> rows(invocation);
    OutputForm.Kind form = invocation.form().kind();
    boolean isList = form == OutputForm.Kind.TABLE || form == OutputForm.Kind.WIDE;
    if (isList && name == null && !list.watch) {
      List<Row<BudgetUse>> rows = rows(invocation);
      if (rows.isEmpty()) {
        invocation.session().requireTenant();
        invocation
            .output()
            .note(
                "You see no budget. Members see those of the policies of their groups. An admin"
                    + " configures budgets: headgate help configuration.");
        return ExitCode.DONE;
      }
      fetch = () -> rows;
    }
    return new NamedList<>("budget", listing, fetch).run(invocation, list, name);
  }

  private static List<Row<BudgetUse>> rows(Invocation invocation) {
    return invocation.session().usage().budgets().getBudgetsList().stream()
        .map(use -> Row.of(use, "budget", "budgets", use))
        .toList();
  }
}
