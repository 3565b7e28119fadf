package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.cli.TestCli.Result;
import io.headgate.sdk.cli.command.CommandRegistry;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A user of Slurm or Kubernetes types the command that they know, and learns ours.
class OtherToolsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          sbatch train.sh            | headgate submit -q QUEUE -- CMD...
          squeue -u ada              | headgate jobs
          scancel 17                 | headgate cancel JOB
          sinfo                      | headgate nodes
          ps                         | headgate jobs
          get pods                   | headgate jobs
          get nodes                  | headgate nodes
          get train-7                | headgate jobs JOB
          kubectl get pods           | headgate jobs
          kubectl describe pod train | headgate jobs
          exec -it train bash        | headgate logs -f JOB
          delete train               | headgate cancel JOB
          """)
  void isToldTheCommand(String words, String ours, @TempDir Path home) {
    Result result = TestCli.in(home).run(words.split(" "));

    String word = words.split(" ")[0];
    assertThat(result.err().lines().map(String::strip))
        .anyMatch(line -> line.startsWith("error: \"" + word + "\" is not a command"))
        .contains("here it is: " + ours + "   all commands: headgate help");
    assertThat(result.exitCode()).isEqualTo(2);
  }

  @Test
  void isToldCommandsThatExistAndNoneInPlaceOfOurs() {
    List<String> names = CommandRegistry.names();
    OtherTools.OURS.forEach((theirs, ours) -> {
      assertThat(names).as("the answer to %s", theirs).contains(ours.split(" ")[0]);
      assertThat(names).as("words of other tools").doesNotContain(theirs);
    });
  }

  @Test
  void aSlipIsStillCorrected(@TempDir Path home) {
    assertThat(TestCli.in(home).run("cancle").err()).contains("did you mean headgate cancel?");
    assertThat(TestCli.in(home).run("requeu").err()).contains("did you mean headgate requeue?");
  }
}
