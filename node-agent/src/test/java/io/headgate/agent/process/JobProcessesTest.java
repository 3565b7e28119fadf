package io.headgate.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.Fixtures;
import io.headgate.kit.testing.Needed;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobProcessesTest {
  private static final AttemptKey OURS = Fixtures.key("ours");
  private static final AttemptKey OTHER = Fixtures.key("other");

  @TempDir Path attempts;

  private void supervisedBy(AttemptKey key, long pid) throws Exception {
    Path directory = Files.createDirectories(attempts.resolve(key.directoryName()));
    Files.writeString(
        directory.resolve("status"),
        "version=1\nboot_id=b\nsupervisor_pid=%d\npid=2\npid_start_ticks=3\ncgroup=0\nstarted_ms=1\n"
            .formatted(pid));
  }

  @Test
  void findsThemByDescentWhereThereIsNoCgroup() throws Exception {
    // The child of a child, whose name is not easy to read past.
    Process top =
        new ProcessBuilder("bash", "-c", "exec -a 'a) S 1 (b' bash -c 'sleep 1000 & echo $!; wait'")
            .start();
    try (BufferedReader output = top.inputReader()) {
      long below = Long.parseLong(output.readLine());
      supervisedBy(OURS, top.pid());
      supervisedBy(OTHER, 999_999_999);
      JobProcesses processes = JobProcesses.ofMachine(Cgroups.none(), attempts);

      assertThat(
              processes.attemptsOf(
                  List.of(below, top.pid(), ProcessHandle.current().pid(), 999_999_998L),
                  List.of(OTHER, OURS)))
          .isEqualTo(Map.of(below, OURS, top.pid(), OURS));
      assertThat(processes.attemptsOf(List.of(below), List.of(OTHER))).isEmpty();
    } finally {
      top.descendants().forEach(ProcessHandle::destroyForcibly);
      top.destroyForcibly();
    }
  }

  @Test
  void saysThatOneIsNotOfAnAttemptOnlyWhereItKnows() throws Exception {
    long alive = ProcessHandle.current().pid();
    JobProcesses known = JobProcesses.ofContainers(_ -> Optional.of(alive));
    assertThat(known.isOf(alive, OURS)).isTrue();
    assertThat(known.isOf(999_999_998, OURS)).as("gone").isFalse();
    assertThat(JobProcesses.ofContainers(_ -> Optional.of(999_999_998L)).isOf(alive, OURS))
        .as("another's")
        .isFalse();

    JobProcesses unknown =
        JobProcesses.ofContainers(_ -> {
          throw new IOException("too many open files");
        });
    assertThatThrownBy(() -> unknown.isOf(alive, OURS)).isInstanceOf(IOException.class);
    assertThat(unknown.isOf(999_999_998, OURS)).isFalse();
  }

  @Test
  void doesNotTakeAProcessForAStrangersWhoseAncestorVanishes(@TempDir Path proc) throws Exception {
    JobProcesses processes = new JobProcesses(Cgroups.none(), _ -> Optional.of(10L), proc);
    Path stat = Files.createDirectory(proc.resolve("30")).resolve("stat");
    Files.writeString(stat, "30 (job) S 20 30 30\n");
    assertThatThrownBy(() -> processes.isOf(30, OURS))
        .hasMessageContaining("the parent of process 30 keeps changing");
    assertThat(processes.attemptsOf(List.of(30L), List.of(OURS))).isEmpty();
    Files.writeString(stat, "30 (job) S 10 30 30\n");
    assertThat(processes.isOf(30, OURS)).isTrue();
  }

  @Test
  void followsALineOfAncestorsOnlySoFar(@TempDir Path proc) throws Exception {
    JobProcesses processes = new JobProcesses(Cgroups.none(), _ -> Optional.of(10L), proc);
    for (int pid = 11; pid <= 1012; pid++) {
      Files.writeString(
          Files.createDirectory(proc.resolve(Integer.toString(pid))).resolve("stat"),
          "%d (job) S %d 0 0\n".formatted(pid, pid - 1));
    }
    assertThat(processes.isOf(1010, OURS)).isTrue();
    assertThatThrownBy(() -> processes.isOf(1012, OURS))
        .hasMessage("process 1012 has more than 1000 ancestors");
  }

  @Test
  void addsUpWhatTheyTake() throws Exception {
    Process top =
        new ProcessBuilder(
                "bash", "-c", "(for ((i = 0; i < 200000; i++)); do :; done); echo; sleep 1000")
            .start();
    try (BufferedReader output = top.inputReader()) {
      assertThat(output.readLine()).isEmpty();
      supervisedBy(OURS, top.pid());
      JobUsage usage =
          JobProcesses.ofMachine(Cgroups.none(), attempts).usage(List.of(OURS, OTHER)).get(OURS);

      assertThat(usage.cpuNanos()).as("of a child that has ended, too").isPositive();
      assertThat(usage.memoryBytes()).isGreaterThan(1 << 20);
    } finally {
      top.descendants().forEach(ProcessHandle::destroyForcibly);
      top.destroyForcibly();
    }
  }

  @Test
  void readsWhatACgroupCounts(@TempDir Path cgroup) throws Exception {
    assertThat(JobUsage.of(cgroup)).as("without the controllers").isEmpty();
    Files.writeString(cgroup.resolve("cpu.stat"), "usage_usec 1500\nuser_usec 1000\n");
    Files.writeString(cgroup.resolve("memory.current"), "4096\n");
    Files.writeString(
        cgroup.resolve("memory.stat"),
        "anon 1000\nfile 3000\ninactive_file 2000\nactive_file 1000\n");
    Files.writeString(cgroup.resolve("memory.events"), "low 0\noom 3\noom_kill 2\n");

    assertThat(JobUsage.of(cgroup))
        .as("without the files that are only kept")
        .contains(new JobUsage(1_500_000, 1096, 2));
  }

  @Test
  void findsThemByTheirCgroupWhoeverStartedThem() throws Exception {
    Cgroups cgroups = Cgroups.discover("pids-" + ProcessHandle.current().pid());
    Needed.CGROUPS.demand(cgroups.areAvailable());
    Path cgroup = cgroups.make(OURS.directoryName()).orElseThrow();
    Process process = new ProcessBuilder("sleep", "1000").start();
    try {
      Files.writeString(cgroup.resolve("cgroup.procs"), Long.toString(process.pid()));
      JobProcesses processes = JobProcesses.ofMachine(cgroups, attempts);

      assertThat(processes.attemptsOf(List.of(process.pid()), List.of(OTHER, OURS)))
          .isEqualTo(Map.of(process.pid(), OURS));
    } finally {
      process.destroyForcibly().waitFor();
      await()
          .atMost(Duration.ofSeconds(60))
          .ignoreExceptions()
          .until(() -> {
            Cgroups.killAndRemove(cgroup);
            return true;
          });
      cgroups.removeIfEmpty();
    }
  }
}
