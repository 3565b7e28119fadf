package io.headgate.sdk.cli.command;

import io.headgate.proto.scheduler.v1.JobExplanation;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.Listing;
import io.headgate.sdk.cli.output.OutputForm;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.model.Explanation;
import io.headgate.sdk.wire.EventMessages;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `headgate explain`.
@Command(
    header = {
      "headgate explain train-7            why it waits, rule by rule, and what would start it",
      "headgate explain train-7 -o json    the same for machines",
      ""
    },
    description = "Says why a job stands as it does.")
public final class ExplainCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Parameters(paramLabel = "JOB", description = "The job.")
  private String job = "";

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    JobExplanation message = invocation.session().jobs().explain(job);
    Explanation explanation = EventMessages.explanation(message);
    OutputForm.Kind kind = invocation.form().kind();
    if (kind == OutputForm.Kind.TABLE || kind == OutputForm.Kind.WIDE) {
      new ExplanationText(invocation.output())
          .lines(explanation)
          .forEach(invocation.output()::line);
    } else {
      new Listing<Explanation>(
              "explanations", List.of("explanations"), it -> it.job().id(), List.of())
          .printOne(
              Row.of(explanation, "explanation", "explanations", message),
              invocation.form(),
              invocation.output());
    }
    return ExitCode.DONE;
  }
}
