package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.cli.TestCli.Result;
import io.headgate.sdk.gate.TestGate;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `headgate budgets` of a tenant without any; its output with some is in [OutputGoldenTest].
class BudgetsCommandTest {
  private final TestGate gate = TestGate.open();
  @TempDir Path home;

  @BeforeEach
  void fill() {
    Fixtures.fill(gate);
  }

  @AfterEach
  void close() {
    gate.close();
  }

  @Test
  void saysThatThereIsNoneAndWhereOneIsConfigured() {
    Result result = TestCli.at(gate, home).run("budgets");
    assertThat(result.exitCode()).isZero();
    assertThat(result.out() + result.err())
        .contains(
            "You see no budget. Members see those of the policies of their groups. An admin"
                + " configures budgets: headgate help configuration.");
  }

  @Test
  void programsGetAnEmptyList() {
    assertThat(TestCli.at(gate, home).run("budgets", "-o", "json").out())
        .contains("\"budgets\": []");
    assertThat(TestCli.at(gate, home).run("budgets", "-o", "csv").out())
        .isEqualTo(
            "budget,per,used,of,unit,part,state,runs-out,when-spent,warn-at,began,ends,counted\n");
  }
}
