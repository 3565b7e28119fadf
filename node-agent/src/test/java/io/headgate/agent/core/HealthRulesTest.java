package io.headgate.agent.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.DeviceCondition.Health;
import io.headgate.agent.core.DeviceCondition.Remedy;
import io.headgate.agent.core.DeviceSign.Recovery;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The table from signs to conditions of a device.
class HealthRulesTest {
  private static DeviceCondition judge(DeviceSign... signs) {
    return HealthRules.judge(List.of(signs));
  }

  @Test
  void findsNothingWrongWithoutSigns() {
    assertThat(judge()).isEqualTo(DeviceCondition.HEALTHY);
  }

  @ParameterizedTest
  @ValueSource(ints = {13, 31, 32, 43, 45, 66, 68, 69, 137, 4711})
  void holdsTheErrorsOfProgramsAgainstNoDevice(int xid) {
    DeviceSign.Xid error = new DeviceSign.Xid(xid);
    assertThat(judge(error)).isEqualTo(DeviceCondition.HEALTHY);
    assertThat(HealthRules.isOfTheDevice(error)).isFalse();
  }

  @Test
  void usesAGpuThatCouldNotBeDividedAsItIs() {
    DeviceCondition condition = judge(new DeviceSign.Undivided("process 4711 has it"));
    assertThat(condition.health()).isEqualTo(Health.DEGRADED);
    assertThat(condition.takesWork()).isTrue();
    assertThat(condition.cause()).startsWith("MIG could not").endsWith(": process 4711 has it");
  }

  @ParameterizedTest
  @CsvSource({
    "46, UNHEALTHY, false, RESET",
    "48, UNHEALTHY, false, RESET",
    "62, UNHEALTHY, false, RESET",
    "63, DEGRADED, false, RESET",
    "64, UNHEALTHY, false, RESET",
    "74, UNHEALTHY, false, RESET",
    "79, UNHEALTHY, true, RESTART_MACHINE",
    "92, DEGRADED, false, INSPECT",
    "94, DEGRADED, false, RESET",
    "95, UNHEALTHY, true, RESET",
    "109, DEGRADED, false, RESET",
    "119, UNHEALTHY, false, RESET",
    "120, UNHEALTHY, false, RESET",
    "140, UNHEALTHY, false, RESET",
    "147, DEGRADED, false, INSPECT",
  })
  void followsTheCatalogOfErrors(int xid, Health health, boolean endsJobs, Remedy remedy) {
    DeviceSign.Xid error = new DeviceSign.Xid(xid);
    DeviceCondition condition = judge(error);
    assertThat(condition.health()).isEqualTo(health);
    assertThat(condition.endsJobs()).isEqualTo(endsJobs);
    assertThat(condition.remedy()).isEqualTo(remedy);
    assertThat(condition.cause()).endsWith("(XID " + xid + ")");
    assertThat(HealthRules.isOfTheDevice(error)).isTrue();
  }

  @Test
  void followsWhatIsRead() {
    assertThat(judge(new DeviceSign.Gone("it is away")))
        .isEqualTo(
            new DeviceCondition(Health.UNHEALTHY, true, "it is away", Remedy.RESTART_MACHINE));
    assertThat(judge(new DeviceSign.Silent("no answer")))
        .as("it may come back")
        .isEqualTo(new DeviceCondition(Health.UNHEALTHY, false, "no answer", Remedy.RESET));
    assertThat(judge(new DeviceSign.RowsPending()).health()).isEqualTo(Health.DEGRADED);
    assertThat(judge(new DeviceSign.PagesPending()).health()).isEqualTo(Health.DEGRADED);
    assertThat(judge(new DeviceSign.RowsExhausted()).remedy()).isEqualTo(Remedy.REPLACE);
    assertThat(judge(new DeviceSign.PagesStuck(2)))
        .isEqualTo(
            new DeviceCondition(
                Health.UNHEALTHY,
                false,
                "bad pages of its memory that could not be taken out of use: 2",
                Remedy.REPLACE));
    assertThat(judge(new DeviceSign.Uncorrected(3)).takesWork()).isTrue();
    assertThat(judge(new DeviceSign.SliceUnguarded("acme.job.1.0#0", false)).cause())
        .isEqualTo(
            "MPS no longer limits the slice acme.job.1.0#0; until its job ends, nothing limits its"
                + " processors");
    assertThat(judge(new DeviceSign.SliceUnguarded("acme.job.1.0#0", true)))
        .isEqualTo(
            new DeviceCondition(
                Health.DEGRADED,
                false,
                "MPS no longer limits the slice acme.job.1.0#0; until its job ends, only"
                    + " the watch limits its memory",
                Remedy.INSPECT));
    assertThat(judge(new DeviceSign.Throttled("it is too hot")))
        .isEqualTo(
            new DeviceCondition(
                Health.DEGRADED, false, "it is slowed down: it is too hot", Remedy.INSPECT));
  }

  @ParameterizedTest
  @CsvSource({
    "RESET, true, RESET",
    "RESTART, true, RESTART_MACHINE",
    "DRAIN_AND_RESET, false, RESET",
    "DRAIN_LINKS, false, INSPECT",
  })
  void doesWhatTheDriverDemands(Recovery recovery, boolean endsJobs, Remedy remedy) {
    DeviceCondition condition = judge(new DeviceSign.RecoveryDue(recovery));
    assertThat(condition.takesWork()).isFalse();
    assertThat(condition.endsJobs()).isEqualTo(endsJobs);
    assertThat(condition.remedy()).isEqualTo(remedy);
  }

  @Test
  void givesADeviceUpThatRefusesOneSliceAfterTheOther() {
    assertThat(judge(new DeviceSign.SlicesRefused(2, "in use")).takesWork()).isTrue();
    assertThat(judge(new DeviceSign.SlicesRefused(3, "in use")).takesWork()).isFalse();
    assertThat(judge(new DeviceSign.SliceStuck("in use")).takesWork()).isTrue();
  }

  @Test
  void letsTheWorstDecideAndTellsAll() {
    assertThat(
            judge(
                new DeviceSign.Throttled("it is too hot"),
                new DeviceSign.Xid(48),
                new DeviceSign.Xid(13),
                new DeviceSign.RowsExhausted()))
        .isEqualTo(
            new DeviceCondition(
                Health.UNHEALTHY,
                false,
                "a bad row of its memory could not be replaced; an uncorrectable error of its memory"
                    + " (XID 48); it is slowed down: it is too hot",
                Remedy.REPLACE));
    assertThat(judge(new DeviceSign.Silent("x".repeat(600))).cause()).hasSize(500).endsWith("…");
  }
}
