package io.headgate.kit.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.util.Arrays;
import java.util.List;

/// Features of the machine that a test needs and that not every machine has.
///
/// A machine that has a feature for sure lists it in the variable `HEADGATE_TEST_FEATURES`, as CI
/// does. There, a test that misses the feature fails. Elsewhere it is skipped, and says so.
public enum Needed {
  ROOT("the rights of root"),
  MOUNTS("the right to mount a file system"),
  WALLS("the right to make users, namespaces and system call filters for a job"),
  NETNS("the right to make network namespaces, bridges and rules of iptables"),
  CGROUPS("cgroups that it may make: version 2, mounted writable, mostly root's"),
  CGROUP_PROGRAMS("the right to load a program that fences the devices of a cgroup"),
  CGROUP_CONTROLLERS("cgroup controllers that it may use: cpu, memory, pids and devices"),
  DISK_QUOTAS("a kernel and programs for ext4 with project quotas, and a loop device"),
  AMD64("a processor of the architecture amd64"),
  PYTHON("Python: python3"),
  NPX("npx, and a registry of npm packages"),
  PODMAN("podman"),
  CONTAINERD("containerd and its client ctr"),
  DOCKER("docker: docker.io"),
  BUSYBOX("a static busybox: busybox-static"),
  RUNC("runc"),
  POSTGRES_17("a PostgreSQL server of version 17 or later"),
  PROMETHEUS("Prometheus and its promtool"),
  CHROMIUM("chromium"),
  VICTORIA_METRICS("victoria-metrics 1.112 or later"),
  ZIPKIN("the program zipkin-server");

  private static final String FEATURES = "HEADGATE_TEST_FEATURES";

  private final String what;

  Needed(String what) {
    this.what = what;
  }

  /// Skips the test where the feature is absent, and prints the reason beside the tests' output.
  /// The reason in the test report alone would go unread in a build that passes.
  public void demand(boolean there) {
    String test = test();
    if (features().contains(name())) {
      assertThat(there)
          .as("%s says that this machine has %s; %s does not find it", FEATURES, what, test)
          .isTrue();
    }
    if (!there) {
      System.err.println("NOT TRIED on this machine: a test of " + test + " takes " + what);
    }
    assumeThat(there).as(what).isTrue();
  }

  private static List<String> features() {
    String listed = System.getenv().getOrDefault(FEATURES, "");
    List<String> features = Arrays.asList(listed.strip().split(" +"));
    List<String> known = Arrays.stream(values()).map(Needed::name).toList();
    assertThat(known)
        .as("features in " + FEATURES)
        .containsAll(listed.isBlank() ? List.of() : features);
    return features;
  }

  /// The test class, although a fixture may have asked for the feature.
  private static String test() {
    return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
        .walk(frames ->
            frames
                .map(frame -> frame.getDeclaringClass().getSimpleName())
                .filter(name -> name.matches(".*(Test|IT|Contract)"))
                .findFirst())
        .orElse("an unknown class");
  }
}
