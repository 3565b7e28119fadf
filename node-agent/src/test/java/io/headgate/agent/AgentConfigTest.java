package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.headgate.kit.config.ConfigException;
import io.headgate.kit.config.ConfigLoader;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Invalid settings, and the errors that they cause.
class AgentConfigTest {
  /// Key, value as YAML, and what is said after the key.
  private static final String WRONG =
      """
      cpus | 0 | 0 is too few; at least 1
      logs.file-size | 1KiB | 1KiB is too small; at least 4KiB
      logs.files | 1 | 1 is not 2 to 1000
      keep.attempts | -1 | -1 is too few; at least 0
      storages | {Shared: /mnt} | 'Shared' is no name: 1 to 63 lower-case letters
      storages | {all: /} | '/' is all of the machine; name a directory below a mount
      storages | {shared: mnt} | 'mnt' is not absolute; write the path from / on
      storages | {a: /a, b: /a, c: /a, d: /a, e: /a, f: /a, g: /a, h: /a, i: /a, j: /a, k: /a, l: /a, m: /a, n: /a, o: /a, p: /a, q: /a} | 17 are too many; at most 16
      gpu.driver | cuda | 'cuda' is not a known value: known are auto, nvml, rocm, none
      gpu.nvml.library | ' ' | ' ' is empty; a name or a path, or leave it out
      gpu.nvml.timeout | 1ms | 1ms is too short; at least 100ms
      gpu.nvml.checkpoint | program | 'program' is not absolute; write the path from / on
      gpu.nvml.checkpoint-timeout | 0s | 0s is too short; at least 100ms
      gpu.rocm.libraries | [] | [] lists nothing; leave it out for the defaults
      gpu.rocm.libraries | [a, ''] | '' is empty; each is a name or a path
      gpu.rocm.timeout | 99ms | 99ms is too short; at least 100ms
      gpu.rocm.sysfs | sys | 'sys' is not absolute; write the path from / on
      gpu.rocm.dmem | on | 'on' is not a known value: did you mean 'off'?
      gpu.mig.mode | always | 'always' is not a known value: known are pool, keep, auto
      gpu.mig.strangers | kep | 'kep' is not a known value: did you mean 'keep'?
      gpu.mps.use | on | 'on' is not a known value: did you mean 'off'?
      gpu.mps.protocol | v4 | 'v4' is not a known value: did you mean 'v2'?
      gpu.mps.control | mps | 'mps' is not absolute; write the path from / on
      gpu.mps.directory | mps | 'mps' is not absolute; write the path from / on
      gpu.mps.directory | /a-name-of-a-directory-that-has-too-many-characters-by-one | '/a-name-of-a-directory-that-has-too-many-characters-by-one' is too long for the paths of sockets; at most 56 characters
      gpu.mps.timeout | 5 | '5' is not a duration: write 250ms, 90s, 15m, 2h or 1h30m
      gpu.mps.reserve | much | 'much' is not a size: write a number with B, KiB,
      gpu.mps.compute | half | 'half' is not a known value: known are shared, limited
      gpu.watchdog.interval | 1ms | 1ms is too short; at least 10ms
      gpu.watchdog.grace | -1s | '-1s' is not a duration: write 250ms, 90s, 15m, 2h or 1h30m
      gpu.health.interval | 1ms | 1ms is too short; at least 100ms
      gpu.health.dcgm-names | maybe | 'maybe' is neither true nor false
      gpu.lock.use | maybe | 'maybe' is neither true nor false
      walls.users | always | 'always' is not a known value: known are auto, required, none
      walls.first-user | 999 | 999 may be a user of the machine; at least 1000
      walls.user-count | 0 | 0 is too few; at least 1
      walls.user-count | 300000000 | 300000000 is too many after walls.first-user 1900000000; at most 247483647
      walls.namespaces | always | 'always' is not a known value: known are auto, required, none
      walls.network | host | 'host' is not a known value: known are machine, own
      walls.syscalls | always | 'always' is not a known value: known are auto, required, none
      walls.metadata | always | 'always' is not a known value: known are auto, required, none
      walls.shared | [data] | 'data' is not absolute; write the path from / on
      walls.devices | [/dev/../etc] | '/dev/../etc' is not below /dev; name a device file, or a directory of them, without '..'
      walls.limits.processes | 15 | 15 is too few; at least 16
      walls.limits.files | 63 | 63 is too few; at least 64
      walls.limits.cpus | 0 | 0 is too few; at least 1
      walls.limits.memory | all | 'all' is not a size: write a number with B, KiB,
      walls.disk | always | 'always' is not a known value: known are auto, required, none
      walls.limits.disk | all | 'all' is not a size: write a number with B, KiB,
      gpu.nvml.remains | always | 'always' is not a known value: known are hold, ignore
      walls.limits.unrequested | all | 'all' is not a known value: known are share, unlimited
      containers.use | always | 'always' is not a known value: known are auto, required, none
      containers.store | cri-o | 'cri-o' is not a known value: known are auto, podman, containerd, docker
      containers.images | [] | [] would let no image run; leave it out for all, or say containers.use: none
      containers.images | ['*'] | image pattern '*' is not of the form
      containers.require-digest | maybe | 'maybe' is neither true nor false
      containers.podman | podman | 'podman' is not absolute; write the path from / on
      containers.containerd | ctr | 'ctr' is not absolute; write the path from / on
      containers.docker | docker | 'docker' is not absolute; write the path from / on
      containers.mounts | run | 'run' is not absolute; write the path from / on
      containers.mounts | /run/a:b | '/run/a:b' must have no space, comma, colon or backslash; name another directory
      containers.cdi | cdi | 'cdi' is not absolute; write the path from / on
      containers.lend | [/usr/../etc] | '/usr/../etc' is not an absolute path without '..'; name a file or a directory below /
      containers.pull-timeout | 1ms | 1ms is too short; at least 1s
      kubernetes.use | maybe | 'maybe' is neither true nor false
      kubernetes.server | 10.0.0.1:6443 | '10.0.0.1:6443' is not a URI
      kubernetes.server | api.example | 'api.example' is not an address; write one like https://kubernetes.default.svc
      kubernetes.namespace | Jobs | 'Jobs' is not a namespace; write 1 to 63 lower-case letters, digits and hyphens
      kubernetes.node | '' | '' is empty; as the cluster calls it, or leave it out
      kubernetes.image | '' | '' is empty; an image's name, or leave it out for none
      kubernetes.devices | cdi | 'cdi' is not a known value: did you mean 'nri'?
      kubernetes.pull-patience | long | 'long' is not a duration: write 250ms, 90s, 15m, 2h or 1h30m
      kubernetes.start-patience | long | 'long' is not a duration: write 250ms, 90s, 15m, 2h or 1h30m
      """;

  /// Any path of a file that need not be there yet will do.
  private static final List<String> NEVER_WRONG =
      List.of("gpu.lock.directory", "kubernetes.token", "kubernetes.trust");

  record Case(String key, String value, String said) {
    /// The key and value as YAML: `{gpu: {nvml: {timeout: 1ms}}}`.
    String yaml() {
      String[] words = key.split("\\.");
      return "{agent: {data: /d, %s: %s%s}}"
          .formatted(String.join(": {", words), value, "}".repeat(words.length - 1));
    }

    @Override
    public String toString() {
      return key + ": " + value;
    }
  }

  private static Stream<Case> wrong() {
    return WRONG
        .lines()
        .map(line -> line.split(" \\| "))
        .map(words -> new Case(words[0], words[1], words[2]));
  }

  private static void assertRefused(String yaml, String said) {
    assertThatExceptionOfType(ConfigException.class)
        .isThrownBy(() -> ConfigLoader.parse(AgentMain.Config.class, "agent.yaml", yaml, Map.of()))
        .withMessageContaining(said);
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void namesTheKeyItsValueAndWhatToDo(Case wrong) {
    assertRefused(wrong.yaml(), wrong.key() + ": " + wrong.said());
  }

  @Test
  void refusesToShareADirectoryAboveTheCheckpointsOfAllJobs() {
    assertRefused(
        "{agent: {data: /d, storages: {nfs: /mnt/nfs/jobs}, walls: {shared: [/data, /mnt/nfs]}}}",
        "walls.shared: '/mnt/nfs' would show jobs the checkpoints of others, because"
            + " agent.storages.nfs is /mnt/nfs/jobs; share directories beside it");
    assertRefused(
        "{agent: {data: /d, checkpoints: /mnt/jobs, walls: {shared: [/mnt/jobs/]}}}",
        "because agent.checkpoints is /mnt/jobs");
    assertRefused(
        "{agent: {data: /srv/agent, walls: {shared: [/srv]}}}",
        "because agent.checkpoints is /srv/agent/checkpoints");
    var _ =
        ConfigLoader.parse(
            AgentMain.Config.class,
            "agent.yaml",
            "{agent: {data: /d, storages: {nfs: /mnt/nfs/jobs}, walls: {shared: [/mnt/nfs/data]}}}",
            Map.of());
  }

  @Test
  void knowsAWrongValueOfEachKey() {
    List<String> keys =
        Map.of(
                "gpu", GpuConfig.class,
                "walls", WallsConfig.class,
                "containers", ContainersConfig.class,
                "kubernetes", KubernetesConfig.class)
            .entrySet()
            .stream()
            .flatMap(section -> keys(section.getKey(), section.getValue()))
            .toList();
    assertThat(Stream.concat(wrong().map(Case::key), NEVER_WRONG.stream())).containsAll(keys);
  }

  private static Stream<String> keys(String prefix, Class<?> type) {
    return Arrays.stream(type.getRecordComponents())
        .flatMap(component ->
            component.getType().isRecord() && component.getType().getEnclosingClass() == type
                ? keys(prefix + "." + kebab(component), component.getType())
                : Stream.of(prefix + "." + kebab(component)));
  }

  private static String kebab(RecordComponent component) {
    return component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  @Test
  void refusesWhatDoesNotGoTogether() {
    assertRefused(
        "{agent: {data: /d, walls: {network: own, namespaces: none}}}",
        "walls.network: own needs namespaces, and walls.namespaces is none; leave one of the two");
    assertRefused(
        "{agent: {data: /d, walls: {network: own}, kubernetes: {use: true}}}",
        "walls.network: own cannot be combined with kubernetes.use; leave it out");
    assertRefused(
        "{agent: {data: /d, gpu: {mps: {use: auto}}, kubernetes: {use: true}}}",
        "gpu.mps.use: auto cannot be combined with kubernetes.use");
    assertRefused(
        "{agent: {data: /d, simulate-gpus: 1xH100, gpu: {driver: nvml}}}",
        "simulate-gpus does not work with gpu.driver nvml, which demands real GPUs");
  }
}
