package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.proto.pool.v1.Warning;
import io.headgate.sdk.cli.TestCli.Result;
import io.headgate.sdk.gate.TestGate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApplyTest {
  private final TestGate gate = TestGate.open();
  @TempDir Path home;
  private Path file;

  @BeforeEach
  void exportTheFixture() throws IOException {
    Fixtures.fill(gate);
    file = home.resolve("acme.yaml");
    Files.writeString(file, cli().run("export").out());
  }

  @AfterEach
  void close() {
    gate.close();
  }

  @Test
  void applyAfterExportChangesNothing() {
    Result result = cli().run("apply", "-f", file.toString());

    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).isEqualTo("No changes. acme matches " + file + " (version 12.7).\n");
    assertThat(cli().run("plan", "-f", file.toString(), "--exit-code").exitCode()).isZero();
  }

  @Test
  void showsWhatIsAddedChangedMovedAndRemoved() throws IOException {
    gate.supply.warnings.add(
        Warning.newBuilder()
            .setReason("OVERCOMMITTED")
            .setMessage("reservations sum to 27 GPUs, live capacity is 24")
            .build());
    everything();

    Golden.check("plan-pipe", renamed(cli().run("plan", "-f", file.toString())));
    Golden.check("plan-tty", renamed(cli().onTerminal(120).run("plan", "-f", file.toString())));
    Golden.check("plan-json", renamed(cli().run("plan", "-f", file.toString(), "-o", "json")));
    assertThat(cli().run("plan", "-f", file.toString(), "--exit-code").exitCode()).isEqualTo(3);
    assertThat(cli().run("apply", "-f", file.toString(), "--dry-run", "--exit-code").exitCode())
        .isEqualTo(3);
    assertThat(gate.supply.provisioned.getVersion()).isEqualTo(12);
    assertThat(gate.supply.draft).isNull();
  }

  @Test
  void asksBeforeItChangesSomething() throws IOException {
    replace("weight: 3", "limit: 8", "limit: 9");

    Result no = cli().typing("n\n").run("apply", "-f", file.toString());
    assertThat(no.exitCode()).isEqualTo(1);
    assertThat(no.err()).contains("Apply? (y/N)").contains("Nothing was applied");
    Result yes = cli().typing("y\n").run("apply", "-f", file.toString());
    assertThat(yes.exitCode()).isZero();
    assertThat(yes.err()).contains("provisioned 12.8");
    assertThat(gate.rights.inForce.getPolicies(1).getLimit()).isEqualTo("9");
  }

  @Test
  void wantsTheTenantsNameBeforeItRemovesSomething() throws IOException {
    everything();

    assertThat(cli().typing("y\n").run("apply", "-f", file.toString()).exitCode()).isEqualTo(1);
    Result typed = cli().typing("acme\n").run("apply", "-f", file.toString());
    assertThat(typed.err()).contains("Type the tenant's name because objects are removed");
    assertThat(typed.exitCode()).isZero();
    assertThat(typed.err()).contains("provisioned 13.8");
  }

  @Test
  void refusesToAskWhereNobodyIs() throws IOException {
    replace("weight: 3", "limit: 8", "limit: 9");
    Golden.check("apply-nobody", renamed(cli().run("apply", "-f", file.toString())));
    assertThat(
            cli().typing("y\n").with("CI", "true").run("apply", "-f", file.toString()).exitCode())
        .isEqualTo(2);
    assertThat(gate.rights.inForce.getVersion()).isEqualTo(7);
  }

  @Test
  void automationMustAllowRemovals() throws IOException {
    everything();

    Result blind = cli().run("apply", "-f", file.toString(), "--yes");
    assertThat(blind.exitCode()).isEqualTo(2);
    assertThat(blind.err()).contains("NOT_ALLOWED").contains("--yes --allow remove");
    assertThat(cli().run("apply", "-f", file.toString(), "--yes", "--allow", "remove").exitCode())
        .isZero();
  }

  @Test
  void refusesAnotherVersionThanTheOneSeen() throws IOException {
    replace("weight: 3", "limit: 8", "limit: 9");

    Result stale = cli().run("apply", "-f", file.toString(), "--yes", "--if-version", "11.7");
    assertThat(stale.exitCode()).isEqualTo(6);
    assertThat(stale.err())
        .contains("version 12.7 is in force, not 11.7")
        .contains("VERSION_CHANGED");
    assertThat(
            cli().run("apply", "-f", file.toString(), "--yes", "--if-version", "12.7").exitCode())
        .isZero();
  }

  @Test
  void saysWhatChangedMeanwhile() throws IOException {
    replace("weight: 3", "limit: 8", "limit: 9");
    gate.rights.overtakeNextChange = true;

    Result late = cli().run("apply", "-f", file.toString(), "--yes");

    assertThat(late.exitCode()).isEqualTo(6);
    assertThat(late.out().split("Plan:", -1)).as("planned again").hasSize(3);
  }

  @Test
  void theFileMustBeForTheTenant() {
    Result result = cli().run("plan", "-f", file.toString(), "-t", "beta");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("the file is for tenant acme, not beta").contains(":3:9");
  }

  /// Everything that can happen to an object.
  private void everything() throws IOException {
    replace("order", "order: [eight, half]", "order: [half, eight]");
    replace("users", "users: [ada, grace]", "users: [ada, linus]");
    replace("limit", "limit: 8", "limit: 7");
    replace(
        "remove",
        "      - {name: ai-dev-eight, profile: eight}\n",
        "      - {name: ai-dev-quarter, profile: quarter, rank: 2}\n");
    replace(
        "add",
        "\npolicies:",
        "  - name: quarter\n    gpus: 1/4\n    pools: [onprem-rtx6000]\n\npolicies:");
    Files.writeString(
        file,
        Files.readString(file)
            + "  - name: regulated\n    group: research\n    reservation: 2\n    limit: 2\n"
            + "    queues:\n      - {name: regulated-half, profile: half}\n");
  }

  private void replace(String what, String from, String to) throws IOException {
    String text = Files.readString(file);
    assertThat(text).as(what).contains(from);
    Files.writeString(file, text.replace(from, to));
  }

  private Result renamed(Result result) {
    return new Result(
        result.out().replace(file.toString(), "acme.yaml"),
        result.err().replace(file.toString(), "acme.yaml"),
        result.exitCode());
  }

  private TestCli cli() {
    return TestCli.at(gate, home);
  }
}
