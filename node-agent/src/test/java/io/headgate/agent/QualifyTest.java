package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.driver.nvml.FakeGpus;
import io.headgate.agent.driver.nvml.FakeGpus.Version;
import io.headgate.agent.process.Cgroups;
import io.headgate.kit.testing.Needed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// `headgate-agent qualify` on machines that the fake libraries show: it says what holds there, and
/// finds what does not.
@Execution(ExecutionMode.CONCURRENT)
class QualifyTest {
  @TempDir Path root;

  /// The output of the command, and its exit status.
  private record Said(int status, String text) {
    /// The line of an experiment, without its figures.
    String of(String experiment) {
      return text.lines()
          .filter(line -> line.matches("(passed|FAILED|not shown) +" + experiment + " .*"))
          .findFirst()
          .orElse("nothing of " + experiment);
    }
  }

  private Said qualify(FakeGpus gpus, String... words) throws Exception {
    Path config = root.resolve("agent.yaml");
    // The fake has one list of processes, which jobs in namespaces have other numbers in.
    Files.writeString(
        config,
        """
        agent:
          gpu:
            nvml: {library: %s}
            mps: {control: %s, directory: %s, reserve: 64MiB}
            watchdog: {interval: 50ms, grace: 100ms}
          walls: {users: none, namespaces: none}
        """
            .formatted(gpus.library(), FakeGpus.mpsControl(), root.resolve("mps")));
    List<String> all =
        new ArrayList<>(
            List.of(
                "--config",
                config.toString(),
                "--directory",
                root.toString(),
                "--cuda",
                gpus.cuda().toString(),
                "--nvidia-smi",
                root.resolve("nvidia-smi").toString()));
    all.addAll(List.of(words));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int status;
    try (PrintStream output = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
      status = new Qualify(Map.of(), output).run(all);
    }
    try (var left = Files.newDirectoryStream(root, "headgate-qualify-*")) {
      assertThat(left).as("what it needed is removed").isEmpty();
    }
    return new Said(status, bytes.toString(StandardCharsets.UTF_8));
  }

  private void nvidiaSmi(String... lines) throws IOException {
    Path program = root.resolve("nvidia-smi");
    Files.writeString(program, "#!/bin/sh\ncat <<E\n" + String.join("\n", lines) + "\nE\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  void passesWhatMigPromises() throws Exception {
    nvidiaSmi(FakeGpus.uuid(0) + ", 81920, 1024, 615.71.09, Enabled");
    Said said = qualify(FakeGpus.in(root, Version.V615).with(true), "--although-in-use");

    assertThat(said.text()).contains("10 passed, 0 failed, 1 not shown");
    assertThat(said.of("watchdog latency")).contains("refuses what the watch would have to see");
    assertThat(said.status()).isEqualTo(Qualify.EXIT_HOLDS);
    assertThat(said.text()).contains("\"experiment\": \"limit bites\", \"verdict\": \"PASSED\"");
  }

  @Test
  void findsWhatDoesNotHold() throws Exception {
    nvidiaSmi(
        FakeGpus.uuid(0) + ", 40960, 1024, 580.95.05, Disabled",
        FakeGpus.uuid(7) + ", 81920, 1024, 615.71.09, Enabled");
    FakeGpus gpus = FakeGpus.in(root, Version.V615).with(true);
    gpus.leaks();
    gpus.isContended();
    gpus.spills();
    gpus.lacks(0, 9);
    gpus.fault("nvmlDeviceCreateGpuInstanceWithPlacement", 999, 1);
    Path json = root.resolve("found.json");
    Said said = qualify(gpus, "--although-in-use", "--json", json.toString());

    assertThat(said.of("bindings against nvidia-smi"))
        .startsWith("FAILED")
        .contains(FakeGpus.uuid(0) + " has 39936 MiB, not 80896")
        .contains("the driver is 580.95.05, not nvml 615.71.09")
        .contains("MIG of " + FakeGpus.uuid(0) + " is Disabled")
        .contains("the agent does not see " + FakeGpus.uuid(7));
    assertThat(said.of("golden profile table"))
        .startsWith("FAILED")
        .contains("does not tell [4 of memory, 3 of compute at [0, 4]]");
    assertThat(said.of("create and destroy"))
        .startsWith("FAILED")
        .contains("nvmlDeviceCreateGpuInstanceWithPlacement: Unknown Error (999)");
    assertThat(said.of("limit bites")).startsWith("FAILED").contains("more than its slice");
    assertThat(said.of("child processes")).startsWith("FAILED").contains("only the watch");
    assertThat(said.of("bypass attempts")).startsWith("FAILED").contains("only the watch");
    assertThat(said.of("compute share")).startsWith("FAILED").contains("computes less");
    assertThat(said.of("fault spill-over"))
        .startsWith("FAILED")
        .contains("cuCtxSynchronize CUDA_ERROR_LAUNCH_FAILED");
    assertThat(said.of("nothing is left")).startsWith("passed");
    assertThat(said.status()).isEqualTo(Qualify.EXIT_FAILED);
    assertThat(json).content().contains("\"verdict\": \"FAILED\"");
  }

  @Test
  void saysWhatHoldsOfPartsThatAreMadeByMps() throws Exception {
    Said said = qualify(FakeGpus.in(root, Version.V580).with(false), "--although-in-use");

    assertThat(said.of("bindings against nvidia-smi")).startsWith("not shown").contains("not run");
    assertThat(said.of("golden profile table")).startsWith("not shown").contains("MIG is off");
    assertThat(said.text()).contains("mechanism: mps, slice MiB: 40448, taken MiB: 40384");
    assertThat(said.of("limit bites")).startsWith("passed");
    assertThat(said.of("child processes")).startsWith("passed").contains("the watch ended the job");
    assertThat(said.of("bypass attempts")).startsWith("passed").contains("the watch ended the job");
    assertThat(said.of("watchdog latency")).startsWith("passed");
    assertThat(said.of("compute share")).startsWith("not shown").contains("no processors of their");
    assertThat(said.of("crash re-adoption")).startsWith("passed");
    assertThat(said.status()).isEqualTo(Qualify.EXIT_HOLDS);
  }

  @Test
  void saysWhatHoldsOfPartsThatTheDriverLimitsByCgroup() throws Exception {
    Cgroups tried = Cgroups.discover("qualify-test");
    tried.removeIfEmpty();
    Needed.CGROUPS.demand(tried.areAvailable());
    Said said = qualify(FakeGpus.in(root, Version.V615).with(false), "--although-in-use");

    assertThat(said.text()).contains("mechanism: cgroup, slice MiB: 40448, taken MiB: 40448");
    assertThat(said.of("child processes")).startsWith("passed").contains("the driver refused");
    assertThat(said.of("crash re-adoption")).startsWith("passed");
    assertThat(said.status()).isEqualTo(Qualify.EXIT_HOLDS);
  }

  @Test
  void endsWith3AndSaysWhyIfNothingWasShown() throws Exception {
    FakeGpus gpus = FakeGpus.in(root, Version.V615).with(true);
    gpus.isNotLoaded();
    Said said = qualify(gpus, "--although-in-use");

    assertThat(said.text()).contains("0 passed, 0 failed, 11 not shown\n0 of 11 shown: no GPU\n");
    assertThat(said.of("limit bites"))
        .contains("limit bites                  the NVIDIA driver is not loaded (");
    assertThat(said.status()).isEqualTo(3);
  }

  @Test
  void leavesAGpuAloneThatIsInUse() throws Exception {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false);
    long pid = ProcessHandle.current().pid();
    gpus.processes(0, pid + " 1024 compute -1");
    Said said = qualify(gpus, "--gpu", "0");

    assertThat(said.status()).isEqualTo(Qualify.EXIT_IN_USE);
    assertThat(said.text())
        .containsAnyOf("GPU 0 is in use: process " + pid + " (", "are managed by the agent ")
        .contains("stop that first, or give --although-in-use");
    assertThat(qualify(gpus, "--gpu", "3", "--although-in-use"))
        .isEqualTo(new Said(Qualify.EXIT_USAGE, "--gpu 3: this machine has 1\n"));
    assertThat(qualify(gpus, "--loud").text())
        .startsWith("unknown flag --loud\nheadgate-agent qualify [--config FILE]");
  }
}
