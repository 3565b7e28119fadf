package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.Vault;
import io.headgate.proto.pool.v1.Warning;
import io.headgate.proto.scheduler.v1.Placement;
import io.headgate.proto.scheduler.v1.PlanConfigurationResponse;
import io.headgate.proto.scheduler.v1.PlannedJob;
import io.headgate.proto.scheduler.v1.PlannedJobs;
import io.headgate.proto.scheduler.v1.PlannedPolicy;
import io.headgate.proto.scheduler.v1.PolicyOutlook;
import io.headgate.proto.scheduler.v1.Preemption;
import io.headgate.proto.scheduler.v1.QueueUsage;
import io.headgate.proto.scheduler.v1.Reason;
import io.headgate.proto.scheduler.v1.Slice;
import io.headgate.sdk.cli.TestCli.Result;
import io.headgate.sdk.gate.TestGate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    gate.plans.answer = effects();
    gate.usage.queues.add(
        QueueUsage.newBuilder().setQueue("ai-dev-eight").setRunningJobs(2).build());

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
  void aVaultComesAndGoesWithTheFile() throws IOException {
    String without = Files.readString(file);
    String vaults =
        """

        vaults:
          - name: research
            groups: [research]
            images: ["nvcr.io/nvidia/**"]
            requireDigest: true
            commands: ["/usr/bin/python3 -m *"]
            environment:
              WANDB_MODE: offline
        """;
    Files.writeString(file, without + vaults);

    assertThat(cli().run("apply", "-f", file.toString(), "--yes").exitCode()).isZero();
    assertThat(cli().run("export").out()).endsWith(vaults);
    assertThat(cli().run("vaults").out()).contains("research", "nvcr.io/nvidia/**", "WANDB_MODE");
    AccessConfiguration inForce = gate.rights.inForce;
    Vault hidden =
        inForce.getVaults(0).toBuilder()
            .putEnvironment("WANDB_MODE", "")
            .setEnvironmentHidden(true)
            .build();
    gate.rights.inForce = inForce.toBuilder().setVaults(0, hidden).build();
    Result member = cli().run("export");
    assertThat(member.err()).contains("vault 'research'", "admin");
    assertThat(member.out()).contains("WANDB_MODE: \"\"", "environmentHidden: true");
    Path theirs = Files.writeString(home.resolve("theirs.yaml"), member.out());
    assertThat(cli().run("plan", "-f", theirs.toString()).out()).startsWith("No changes.");
    assertThat(cli().run("plan", "-f", file.toString()).out())
        .as("what is not seen is not different")
        .doesNotContain("WANDB_MODE");
    gate.rights.inForce = inForce;
    Files.writeString(file, without);
    assertThat(cli().run("plan", "-f", file.toString()).out()).contains("- vault", "research");
    assertThat(cli().run("apply", "-f", file.toString(), "--yes", "--allow", "remove").exitCode())
        .isZero();
    assertThat(cli().run("export").out()).isEqualTo(without);
  }

  @Test
  void asksTheSchedulerAboutWhatChangesOnly() throws IOException {
    replace("weight: 3", "limit: 8", "limit: 9");

    assertThat(cli().run("plan", file.toString()).out())
        .contains("no job starts, stops or waits because of it");
    assertThat(gate.plans.asked).isNotNull();
    assertThat(gate.plans.asked.hasResourceConfiguration()).isFalse();
    assertThat(gate.plans.asked.getAccessConfiguration().getPolicies(1).getLimit()).isEqualTo("9");
  }

  @Test
  void plansAlsoWhenTheSchedulerCannotSayWhatFollows() throws IOException {
    replace("weight: 3", "limit: 8", "limit: 9");
    gate.plans.answer = null;

    Result result = cli().run("plan", file.toString());

    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).contains("Plan: 0 to add, 1 to change, 0 to remove.");
    assertThat(result.err()).contains("effects on jobs are not known");
  }

  @Test
  void wantsOneFile() {
    assertThat(cli().run("plan").exitCode()).isEqualTo(2);
    assertThat(cli().run("plan").err()).contains("-f acme.yaml");
    assertThat(cli().run("plan", "-f", file.toString(), file.toString()).err())
        .contains("FLAGS_CONFLICT");
  }

  /// Effects with at least one of each kind.
  private static PlanConfigurationResponse effects() {
    return PlanConfigurationResponse.newBuilder()
        .setStarts(
            PlannedJobs.newBuilder()
                .setTotal(2)
                .addJobs(
                    PlannedJob.newBuilder()
                        .setJob("d-1")
                        .setPool("onprem-rtx6000")
                        .addPlacements(placement("gpu-03", 0, 1, 2)))
                .addJobs(
                    PlannedJob.newBuilder()
                        .setJob("gang")
                        .setPool("onprem-rtx6000")
                        .addPlacements(placement("gpu-01", 0))
                        .addPlacements(placement("gpu-02", 4))))
        .setPreempts(
            PlannedJobs.newBuilder()
                .setTotal(1)
                .setOtherTenants(3)
                .addJobs(
                    PlannedJob.newBuilder()
                        .setJob("r-2")
                        .setPreemption(Preemption.newBuilder().setByJob("d-1").setRule("P1"))))
        .setWaits(
            PlannedJobs.newBuilder()
                .setTotal(12)
                .addJobs(
                    PlannedJob.newBuilder()
                        .setJob("r-2")
                        .setReason(
                            Reason.newBuilder()
                                .setCode("LIMIT")
                                .setMessage("policy research, usage 6, need 2, limit 7"))))
        .setDrafts(
            PlannedJobs.newBuilder()
                .setTotal(1)
                .addJobs(
                    PlannedJob.newBuilder()
                        .setJob("q-1")
                        .setReason(
                            Reason.newBuilder()
                                .setCode("QUEUE_REMOVED")
                                .setMessage("its queue is gone"))))
        .addPolicies(
            PlannedPolicy.newBuilder()
                .setPolicy("ai-dev")
                .setBefore(outlook("0", "4", "10", 2))
                .setAfter(outlook("5", "4", "10", 0)))
        .addPolicies(
            PlannedPolicy.newBuilder()
                .setPolicy("research")
                .setBefore(outlook("8", "6", "8", 3).setWaitP50(seconds(720)))
                .setAfter(
                    outlook("6", "6", "7", 15).setWaitP50(seconds(1860)).setWaitP99(seconds(3600))))
        .addPolicies(
            PlannedPolicy.newBuilder().setPolicy("regulated").setAfter(outlook("0", "2", "2", 0)))
        .setKnownAhead(seconds(7200))
        .build();
  }

  private static Placement placement(String node, int... devices) {
    Placement.Builder placement = Placement.newBuilder().setNode(node);
    for (int device : devices) {
      placement.addSlices(Slice.newBuilder().setDeviceIndex(device).setGpus("1"));
    }
    return placement.build();
  }

  private static PolicyOutlook.Builder outlook(
      String usage, String reservation, String limit, int waiting) {
    return PolicyOutlook.newBuilder()
        .setUsage(usage)
        .setReservation(reservation)
        .setLimit(limit)
        .setWaitingJobs(waiting)
        .setAwaitedJobs(waiting);
  }

  private static Duration seconds(long seconds) {
    return Duration.newBuilder().setSeconds(seconds).build();
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
    assertThat(typed.err()).contains("Type the name of the tenant, because objects are removed");
    assertThat(typed.exitCode()).isZero();
    assertThat(typed.err()).contains("provisioned 13.8");
  }

  @Test
  void wantsTheTenantsNameBeforeItPreemptsAJob() throws IOException {
    replace("weight: 3", "limit: 8", "limit: 9");
    gate.plans.answer = preempting();

    Result yes = cli().typing("y\n").run("apply", "-f", file.toString());
    assertThat(yes.exitCode()).isEqualTo(1);
    assertThat(yes.err())
        .contains("Type the name of the tenant, because jobs are preempted: ")
        .contains("Nothing was applied");
    assertThat(gate.rights.inForce.getVersion()).isEqualTo(7);
    assertThat(cli().typing("acme\n").run("apply", "-f", file.toString()).exitCode()).isZero();
    assertThat(gate.rights.inForce.getVersion()).isEqualTo(8);
  }

  @Test
  void automationMustAllowPreemptions() throws IOException {
    replace("weight: 3", "limit: 8", "limit: 9");
    gate.plans.answer = preempting();

    for (String allowed : new String[] {"", "remove"}) {
      Result blind = cli().run(automation(allowed));
      assertThat(blind.exitCode()).isEqualTo(2);
      assertThat(blind.err())
          .contains("the plan preempts 4 running jobs, which --", " does not allow", "NOT_ALLOWED")
          .contains("to apply it anyway: --yes --allow preempt\n");
    }
    assertThat(cli().run("apply", "-f", file.toString()).err())
        .contains("to apply it without a question: --yes --allow preempt\n");
    assertThat(gate.rights.inForce.getVersion()).isEqualTo(7);
    assertThat(cli().run(automation("preempt")).exitCode()).isZero();
    assertThat(gate.rights.inForce.getVersion()).isEqualTo(8);
  }

  @Test
  void unknownEffectsNeedTheConsentOfAPreemption() throws IOException {
    replace("weight: 3", "limit: 8", "limit: 9");
    gate.plans.answer = null;

    Result blind = cli().run(automation(""));
    assertThat(blind.exitCode()).isEqualTo(2);
    assertThat(blind.err()).contains("may preempt jobs", "--yes --allow preempt\n");
    assertThat(cli().run(automation("preempt")).exitCode()).isZero();
  }

  @Test
  void namesAllThatHasToBeAllowed() throws IOException {
    everything();
    gate.plans.answer = effects();

    assertThat(cli().run(automation("")).err())
        .contains("the plan preempts 4 running jobs, removes objects and makes drafts of 1 job")
        .contains("--yes --allow preempt,remove\n");
    assertThat(cli().run(automation("delete")).err())
        .contains("\"delete\" is not a value of --allow", "values: preempt, remove");
    assertThat(gate.rights.inForce.getVersion()).isEqualTo(7);
    assertThat(cli().run(automation("remove,preempt")).exitCode()).isZero();
  }

  private String[] automation(String allowed) {
    List<String> words = new ArrayList<>(List.of("apply", "-f", file.toString(), "--yes"));
    if (!allowed.isEmpty()) {
      words.addAll(List.of("--allow", allowed));
    }
    return words.toArray(String[]::new);
  }

  /// One job of the tenant and three of other tenants.
  private static PlanConfigurationResponse preempting() {
    return PlanConfigurationResponse.newBuilder().setPreempts(effects().getPreempts()).build();
  }

  @Test
  void refusesToAskWithoutATerminal() throws IOException {
    replace("weight: 3", "limit: 8", "limit: 9");
    Golden.check("apply-no-terminal", renamed(cli().run("apply", "-f", file.toString())));
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
        .contains("version 11.7 is not in force; the version is 12.7")
        .contains("VERSION_CHANGED");
    assertThat(
            cli().run("apply", "-f", file.toString(), "--yes", "--if-version", "12.7").exitCode())
        .isZero();
  }

  @Test
  void whatIsNoVersionIsAMistakeInTheCommandLine() {
    for (String command : new String[] {"apply", "plan"}) {
      Result wrong = cli().run(command, "-f", file.toString(), "--if-version", "x");
      assertThat(wrong.exitCode()).as(command).isEqualTo(2);
      assertThat(wrong.err()).contains("\"x\" is not a version", "--if-version 12.7");
    }
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
  void nothingTakesEffectWhenSomebodyIsFaster() throws IOException {
    everything();
    gate.rights.overtakeNextChange = true;

    Result late = cli().run("apply", "-f", file.toString(), "--yes", "--allow", "remove");
    assertThat(late.exitCode()).isEqualTo(6);
    assertThat(late.err()).contains("VERSION_CHANGED").endsWith("Nothing was applied.\n");
    assertThat(late.out().split("Plan:", -1)).as("planned again").hasSize(3);
    assertThat(gate.supply.provisioned.getVersion()).isEqualTo(12);
    Result again = cli().run("apply", "-f", file.toString(), "--yes", "--allow", "remove");
    assertThat(again.exitCode()).isZero();
    assertThat(again.err()).contains("provisioned 13.9");
  }

  @Test
  void namesWhoseDraftWouldBeLostAndHowToLoseIt() throws IOException {
    everything();
    gate.supply.draft =
        gate.supply.provisioned.toBuilder().setUpdatedBy("tenants/acme/users/bob").build();

    Result refused = cli().run("apply", "-f", file.toString(), "--yes", "--allow", "remove");
    assertThat(refused.exitCode()).isEqualTo(6);
    assertThat(refused.err())
        .contains("DRAFT_OF_OTHERS", "tenants/acme/users/bob")
        .contains("to lose their edits: headgate apply -f FILE --discard-draft-of bob\n")
        .endsWith("Nothing was applied.\n");
    assertThat(gate.supply.provisioned.getVersion()).isEqualTo(12);
    Result named =
        cli()
            .run(
                "apply",
                "-f",
                file.toString(),
                "--yes",
                "--allow",
                "remove",
                "--discard-draft-of",
                "bob");
    assertThat(named.exitCode()).as(named.err()).isZero();
  }

  @Test
  void theFileMustBeForTheTenant() {
    Result result = cli().run("plan", "-f", file.toString(), "-t", "beta");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err())
        .contains("the file is for tenant acme, not for tenant beta")
        .contains(":3:9");
  }

  /// A configuration in which objects are added, changed, kept and removed.
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
