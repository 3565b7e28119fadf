package io.headgate.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.core.DeviceNode;
import io.headgate.kit.testing.Needed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Limits and fences by the cgroups that this machine really has.
class CgroupLimitsTest {
  private static final String NAME = "limits-" + ProcessHandle.current().pid();
  private static final String JOB = "job";
  private static final CgroupLimits.Wanted LITTLE = new CgroupLimits.Wanted(100, 64 << 20, 20);

  @TempDir Path root;
  private final Cgroups cgroups = Cgroups.discover(NAME);
  private final CgroupLimits limits = CgroupLimits.discover(NAME, cgroups);

  @AfterEach
  void removeGroups() {
    await()
        .atMost(SupervisedJob.PATIENCE)
        .ignoreExceptions()
        .until(() -> {
          if (cgroups.areAvailable()) {
            Cgroups.killAndRemove(cgroups.of(JOB).orElseThrow());
          }
          limits.remove(JOB);
          return true;
        });
    limits.removeIfEmpty();
    cgroups.removeIfEmpty();
  }

  private void need(CgroupLimits.Controller controller) {
    Needed.CGROUP_CONTROLLERS.demand(limits.version(controller).isPresent());
  }

  private SupervisedJob job(Walls.Fence fence) throws Exception {
    List<Path> groups = limits.make(JOB, LITTLE);
    SupervisedJob job =
        new SupervisedJob(root)
            .walls(
                new Walls(
                    OptionalInt.empty(),
                    Walls.Namespaces.NONE,
                    Walls.FileSystem.NONE,
                    List.of(new DeviceNode("nvidia0", 10, 229)),
                    fence,
                    false,
                    true,
                    groups,
                    new Walls.Limits(0, 0)));
    cgroups.make(JOB).ifPresent(job::cgroup);
    return job;
  }

  @Test
  void boundsForks() throws Exception {
    need(CgroupLimits.Controller.PIDS);
    try (SupervisedJob job =
        job(new Walls.Fence.Absent())
            .run(
                """
                exec /usr/bin/python3 -c '
                import os, signal
                forked = 0
                try:
                  while forked < 500:
                    if os.fork() == 0:
                      signal.pause()
                    forked += 1
                except BlockingIOError:
                  print("bounded", forked, flush=True)'
                """)) {
      job.awaitEnd();
      assertThat(job.output()).isEqualTo("bounded 19\n");
    }
  }

  @Test
  void boundsMemory() throws Exception {
    need(CgroupLimits.Controller.MEMORY);
    try (SupervisedJob job =
        job(new Walls.Fence.Absent())
            .run(
                "exec /usr/bin/python3 -c 'b = bytearray(32 << 20); print(1, flush=True);"
                    + " c = bytearray(200 << 20); print(2)'")) {
      assertThat(job.awaitEnd().exitCode()).as("killed").hasValue(137);
      assertThat(job.output()).isEqualTo("1\n");
    }
  }

  @Test
  void boundsCpu() throws Exception {
    need(CgroupLimits.Controller.CPU);
    // Half a second of processor time at a tenth of a core takes at least three seconds.
    try (SupervisedJob job =
        job(new Walls.Fence.Absent())
            .run(
                "exec /usr/bin/python3 -c 'import time; a = time.monotonic();\\nwhile"
                        .replace("\\n", "\n")
                    + " time.process_time() < 0.5: pass\nprint(time.monotonic() - a)'")) {
      job.awaitEnd();
      assertThat(Double.parseDouble(job.output())).isGreaterThan(3);
    }
  }

  @Test
  void fencesDevicesByAProgramOfTheCgroup() throws Exception {
    Needed.CGROUPS.demand(cgroups.areAvailable());
    WallProbe probe = WallProbe.run(SupervisorBinary.extract(root), cgroups);
    Needed.CGROUP_PROGRAMS.demand(probe.problem(WallProbe.Wall.FENCE_PROGRAM).isEmpty());
    opensItsOwnOnly(new Walls.Fence.Program());
  }

  /// The job runs in a network without a way out, so that no try leaves the machine.
  @Test
  void keepsAJobFromTheMetadataServicesOfClouds() throws Exception {
    Needed.CGROUPS.demand(cgroups.areAvailable());
    WallProbe probe = WallProbe.run(SupervisorBinary.extract(root), cgroups);
    Needed.CGROUP_PROGRAMS.demand(probe.problem(WallProbe.Wall.METADATA).isEmpty());
    SupervisedJob fenced =
        new SupervisedJob(root)
            .walls(
                new Walls(
                    OptionalInt.empty(),
                    Walls.Namespaces.NONE,
                    Walls.FileSystem.NONE,
                    List.of(),
                    new Walls.Fence.Absent(),
                    true,
                    false,
                    List.of(),
                    new Walls.Limits(0, 0)));
    cgroups.make(JOB).ifPresent(fenced::cgroup);
    try (SupervisedJob job =
        fenced.run(
            """
            unshare -n bash -c '
              for to in 169.254.169.254/80 169.254.170.2/80 169.254.170.23/80 168.63.129.16/32526 100.100.100.200/80 \\
                  fd00:ec2::254/80 fd20:ce::254/80 ::ffff:169.254.169.254/80 \\
                  169.254.169.254/53 169.254.169.253/80 ::ffff:169.254.169.253/80; do
                echo "$to $( (exec 3<>/dev/tcp/$to) 2>&1 | grep -o "[^:]*$" | tail -n 1)"
              done'
            """)) {
      job.awaitEnd();
      assertThat(job.output().lines())
          .containsExactly(
              "169.254.169.254/80  Operation not permitted",
              "169.254.170.2/80  Operation not permitted",
              "169.254.170.23/80  Operation not permitted",
              "168.63.129.16/32526  Operation not permitted",
              "100.100.100.200/80  Operation not permitted",
              "fd00:ec2::254/80  Operation not permitted",
              "fd20:ce::254/80  Operation not permitted",
              "::ffff:169.254.169.254/80  Operation not permitted",
              "169.254.169.254/53  Network is unreachable",
              "169.254.169.253/80  Network is unreachable",
              "::ffff:169.254.169.253/80  Network is unreachable");
    }
  }

  @Test
  void fencesDevicesByVersion1() throws Exception {
    need(CgroupLimits.Controller.DEVICES);
    opensItsOwnOnly(new Walls.Fence.Group(limits.deviceGroup(JOB).orElseThrow()));
  }

  /// The job runs as root, which may create any device file: only the device fence keeps it out.
  private void opensItsOwnOnly(Walls.Fence fence) throws Exception {
    SupervisedJob fenced = job(fence);
    for (String node : List.of("own c 10 229", "theirs c 10 234", "disk b 254 0", "mem c 1 1")) {
      Process made =
          new ProcessBuilder(("mknod " + node).split(" ", -1))
              .directory(fenced.attempt.toFile())
              .start();
      assertThat(made.waitFor()).isZero();
    }
    try (SupervisedJob job =
        fenced.run(
            """
            exec 2>&1
            mknod made c 10 234
            for d in own theirs disk mem /dev/null /dev/zero /dev/urandom /dev/ptmx; do
              (exec 9<>$d) && echo opened $d
            done
            """)) {
      job.awaitEnd();
      List<String> said = job.output().lines().toList();
      assertThat(said)
          .contains(
              "opened own",
              "opened /dev/null",
              "opened /dev/zero",
              "opened /dev/urandom",
              "opened /dev/ptmx")
          .noneMatch(line -> line.matches("opened (theirs|disk|mem)"));
      assertThat(said.stream().filter(line -> line.contains("not permitted"))).hasSize(4);
    }
  }

  @Test
  void leavesNothingBehind() throws Exception {
    List<Path> made = limits.make(JOB, LITTLE);
    assertThat(made).allMatch(Files::isDirectory);
    limits.remove(JOB);
    limits.remove(JOB);
    assertThat(made).noneMatch(Files::exists);
  }
}
