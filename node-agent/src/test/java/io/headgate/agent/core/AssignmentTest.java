package io.headgate.agent.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The validity of an assignment, its times to stop, and the environment of its job.
class AssignmentTest {
  private static final JobEnvironment.Places PLACES =
      new JobEnvironment.Places(
          "/work", "/tmp/a", "/checkpoints/acme/a", false, JobEnvironment.imageVariables(Map.of()));

  private static Assignment with(
      List<String> command, Map<String, String> environment, String directory) {
    Assignment good = Fixtures.assignment("a");
    return new Assignment(
        good.key(),
        1,
        good.queue(),
        good.slices(),
        0,
        0,
        command,
        new TreeMap<>(environment),
        Optional.of(directory),
        good.timeLimit(),
        good.abortCallback(),
        good.grace(),
        good.stopAfter(),
        "",
        false,
        IsolationLevel.NONE,
        "ada",
        Optional.empty(),
        Optional.empty(),
        false);
  }

  private static Assignment.SelfStop selfStop(
      Duration stopAfter, List<String> callback, Duration timeout, Duration grace) {
    Assignment good = Fixtures.assignment("a");
    return new Assignment(
            good.key(),
            1,
            good.queue(),
            good.slices(),
            0,
            0,
            good.command(),
            good.environment(),
            good.workingDirectory(),
            good.timeLimit(),
            new AbortCallback(callback, timeout),
            grace,
            Optional.of(stopAfter),
            "",
            false,
            IsolationLevel.NONE,
            "ada",
            Optional.empty(),
            Optional.empty(),
            false)
        .selfStop();
  }

  @Test
  void tellsItsSupervisorOfAContactAHundredTimesUntilItWouldStop() {
    assertThat(selfStop(Duration.ofMinutes(20), List.of(), Duration.ZERO, Duration.ZERO))
        .returns(Duration.ofSeconds(12), Assignment.SelfStop::contactStep);
  }

  @Test
  void isGoneWhenItMayRunElsewhere() {
    Duration callback = Duration.ofMinutes(3);
    Duration grace = Duration.ofSeconds(10);
    List<String> save = List.of("save");
    assertThat(selfStop(Duration.ofMinutes(40), save, callback, grace))
        .isEqualTo(
            new Assignment.SelfStop(
                Optional.of(Duration.ofSeconds(36 * 60 + 50)), callback, grace));
    // Without a callback, the job needs no time for one.
    assertThat(selfStop(Duration.ofMinutes(40), List.of(), callback, grace).after())
        .contains(Duration.ofSeconds(39 * 60 + 50));
    // Half of the time is the job's.
    assertThat(selfStop(Duration.ofMinutes(4), save, callback, grace))
        .isEqualTo(
            new Assignment.SelfStop(
                Optional.of(Duration.ofMinutes(2)), Duration.ofSeconds(110), grace));
    assertThat(selfStop(Duration.ofSeconds(10), save, callback, grace))
        .isEqualTo(
            new Assignment.SelfStop(
                Optional.of(Duration.ofSeconds(5)), Duration.ZERO, Duration.ofSeconds(5)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1X", "A-B", "A=B", "A B", "LD\n", "É"})
  void refusesEnvironmentNamesThatAShellWouldNotTake(String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> with(List.of("true"), Map.of(name, "x"), "/srv"))
        .withMessageContaining("'" + name + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"relative", "", "/a\nb"})
  void refusesDirectoriesThatAreNotAbsoluteAndPlain(String directory) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> with(List.of("true"), Map.of(), directory));
  }

  @Test
  void refusesNulAndNothing() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> with(List.of("a", "b\0c"), Map.of(), "/srv"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> with(List.of("a"), Map.of("A", "b\0c"), "/srv"));
    assertThatIllegalArgumentException().isThrownBy(() -> with(List.of(), Map.of(), "/srv"));
    assertThatIllegalArgumentException().isThrownBy(() -> with(List.of(""), Map.of(), "/srv"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jobs/x", "tenants/acme/jobs/", "tenants/acme/jobs/../x", "tenants/a.b/jobs/x",
        "tenants/acme/jobs/x/y", "tenants/Acme/jobs/x", "tenants/acme/jobs/x-", "tenants//jobs/x",
        "tenants/acme/jobs/x.", "tenants/acme/jobs/..", "tenants/acme/jobs/.7",
            "tenants/acme/jobs/x.07",
        "tenants/acme/jobs/x.1.2", "tenants/acme/jobs/x.1234567", "tenants/acme.1/jobs/x"
      })
  void refusesNamesThatCouldLeadElsewhere(String name) {
    assertThatIllegalArgumentException().isThrownBy(() -> JobName.parse(name));
  }

  @Test
  void readsNames() {
    JobName name = JobName.parse("tenants/acme/jobs/train-5");
    assertThat(name)
        .isEqualTo(new JobName("acme", "train-5"))
        .hasToString("tenants/acme/jobs/train-5");
    assertThat(new AttemptKey(name, "", 2, 3).directoryName()).isEqualTo("acme.train-5.2.3");
    assertThat(new AttemptKey(name, "1-x9", 2, 3).directoryName())
        .isEqualTo("acme.train-5.2.3.1-x9");
  }

  @Test
  void readsNamesOfElementsOfArrays() {
    JobName name = JobName.parse("tenants/acme/jobs/sweep-1.100000");
    assertThat(name).isEqualTo(new JobName("acme", "sweep-1.100000"));
    assertThat(new AttemptKey(name, "1-x9", 2, 0).directoryName())
        .isEqualTo("acme.sweep-1.100000.2.0.1-x9");
    assertThat(JobName.parse("tenants/acme/jobs/" + "x".repeat(63) + ".7").id()).hasSize(65);
  }

  @Test
  void cutsCallbacksToTheCapOfTheDesign() {
    assertThat(new AbortCallback(List.of("x"), Duration.ofHours(2)).timeout())
        .isEqualTo(Duration.ofSeconds(1800));
  }

  @Test
  void noJobCanForgeHeadgatesVariables() {
    Map<String, String> forged =
        Map.of(
            "HEADGATE_JOB",
            "x",
            "HEADGATE_JOB_UID",
            "x",
            "CUDA_VISIBLE_DEVICES",
            "all",
            "PATH",
            "/opt/bin");
    Map<String, String> environment =
        JobEnvironment.of(
            with(List.of("true"), forged, "/srv"),
            PLACES,
            new JobEnvironment.Gpus(Map.of("CUDA_VISIBLE_DEVICES", ""), 0, false),
            "");

    assertThat(environment)
        .containsEntry("HEADGATE_JOB", "tenants/acme/jobs/a")
        .containsEntry("CUDA_VISIBLE_DEVICES", "")
        .containsEntry("PATH", "/opt/bin")
        .containsEntry("HEADGATE_GPUS", "0")
        .doesNotContainKeys(
            "HEADGATE_RESUME",
            "HEADGATE_SIMULATED",
            "TRACEPARENT",
            "HEADGATE_JOB_UID",
            "HEADGATE_GPU_MEMORY_LIMIT_BYTES");
    assertThat(JobEnvironment.isOf(Fixtures.key("a"), entries(environment))).isTrue();
  }

  private static List<String> entries(Map<String, String> environment) {
    return environment.entrySet().stream().map(Object::toString).toList();
  }

  @Test
  void tellsAJobFromOthersThatHadItsName() {
    List<String> unnamed =
        List.of(
            "A=b", "HEADGATE_JOB=tenants/acme/jobs/a", "HEADGATE_ATTEMPT=1", "HEADGATE_WORKER=0");
    List<String> first =
        Stream.concat(unnamed.stream(), Stream.of("HEADGATE_JOB_UID=first")).toList();
    assertThat(JobEnvironment.isOf(Fixtures.key("a", "first"), first)).isTrue();
    assertThat(JobEnvironment.isOf(Fixtures.key("a", "second"), first)).isFalse();
    assertThat(JobEnvironment.isOf(Fixtures.key("b", "first"), first)).isFalse();
    assertThat(JobEnvironment.isOf(Fixtures.key("a", "first"), unnamed))
        .as("an older agent started it")
        .isTrue();
    assertThat(JobEnvironment.isOf(Fixtures.key("a"), first)).as("an older record").isTrue();
  }
}
