package io.headgate.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.headgate.agent.MachineGpus;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.deploy.node.NodePlan;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ConfigurationReader;
import io.headgate.sdk.config.Policy;
import io.headgate.sdk.config.Profile;
import io.headgate.type.GpuQuantity;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The nodes that `up` adds, and the first configuration of a new installation with them.
class UpNodesTest {
  private static final MachineGpus WITHOUT =
      new MachineGpus(
          List.of(),
          List.of("no ROCm here"),
          List.of("the NVIDIA driver is not loaded; modprobe nvidia"),
          Optional.empty());
  private static final MachineGpus WORKSTATION =
      new MachineGpus(
          List.of(gpu(0), gpu(1)), List.of("no ROCm here"), List.of(), Optional.empty());
  private static final MachineGpus PRODUCTION =
      new MachineGpus(
          List.of(gpu(0), gpu(1)),
          List.of("no ROCm here"),
          List.of(),
          Optional.of("the agent of process 12 (data directory /var/lib/headgate)"));
  private static final NodePlan LOCAL = new NodePlan("node-0", "local", "local");
  private static final NodePlan CPU = new NodePlan("node-0", "local", "");

  private static DeviceInfo gpu(int index) {
    return new DeviceInfo(
        index,
        "GPU-" + index,
        "RTX4090",
        24L << 30,
        DeviceInfo.Geometry.CONTINUOUS,
        IsolationLevel.REACTIVE);
  }

  private static UpNodes nodes(@Nullable String named, MachineGpus machine) {
    return new UpNodes(false, named, () -> machine);
  }

  @Test
  void refusesLocalWithoutGpusSayingWhyAndWhatElseThereIs() {
    assertThatThrownBy(() -> nodes("local", WITHOUT).check())
        .isInstanceOfSatisfying(
            UsageException.class,
            refusal ->
                assertThat(refusal.next())
                    .startsWith("the NVIDIA driver is not loaded; modprobe nvidia", "no ROCm here")
                    .anyMatch(line -> line.contains("--nodes cpu")));
    nodes("local", WORKSTATION).check();
    nodes("cpu", WITHOUT).check();
  }

  @Test
  void aNewInstallationHasTheGpusOfItsMachineAndSizesForThem() {
    Configuration starter = nodes(null, WORKSTATION).starter();

    assertThat(starter.profiles())
        .extracting(Profile::name, Profile::gpus)
        .containsExactlyInAnyOrder(
            tuple("one", GpuQuantity.parse("1")),
            tuple("half", GpuQuantity.parse("1/2")),
            tuple("quarter", GpuQuantity.parse("1/4")),
            tuple("pair", GpuQuantity.parse("1")),
            tuple("cpu", GpuQuantity.ZERO));
    assertThat(starter.policies())
        .extracting(Policy::reservation)
        .containsExactly(GpuQuantity.parse("2"));
    assertThat(nodes(null, WORKSTATION).toAdd(starter, List.of())).containsExactly(LOCAL);
    assertThat(nodes(null, WITHOUT).toAdd(starter, List.of())).containsExactly(CPU);
    assertThat(nodes(null, WITHOUT).starter().profiles())
        .extracting(Profile::name)
        .containsExactly("cpu");
  }

  @Test
  void leavesGpusThatAnotherAgentGivesToJobs() {
    UpNodes unasked = nodes(null, PRODUCTION);
    assertThat(unasked.toAdd(unasked.starter(), List.of())).containsExactly(CPU);
    unasked.requireFree();
    assertThatThrownBy(() -> nodes("local", PRODUCTION).requireFree())
        .isInstanceOf(UsageException.class)
        .hasMessageContaining(
            "in use by the agent of process 12 (data directory /var/lib/headgate)");
    nodes("local", WORKSTATION).requireFree();
  }

  @Test
  void addsNothingUnaskedToAnInstallationThatHasNodes() {
    Configuration starter = StarterConfiguration.forGpus(0);

    assertThat(nodes(null, WORKSTATION).toAdd(starter, List.of(CPU))).isEmpty();
    assertThat(nodes("local", WORKSTATION).toAdd(starter, List.of(CPU))).containsExactly(LOCAL);
  }

  @Test
  void whatBeganWithoutGpusGetsSizesForThoseThatAreAskedForLater() {
    Configuration began = StarterConfiguration.forGpus(0).withTenant("default");

    assertThat(nodes("local", WORKSTATION).outgrow(began)).isTrue();
    assertThat(nodes("local", WORKSTATION).outgrow(StarterConfiguration.forGpus(1))).isFalse();
    assertThat(nodes("cpu", WORKSTATION).outgrow(began)).isFalse();
    assertThat(nodes(null, WORKSTATION).outgrow(began)).isFalse();
  }

  private static Configuration ofSeveralPools() throws Exception {
    return ConfigurationReader.read(
            "pools.yaml",
            """
            apiVersion: headgate/v1
            kind: Configuration
            pools:
              - {name: datacentre, type: static, gpuModel: H100}
              - {name: desks, type: static, gpuModel: RTX4090}
              - {name: machines, type: static}
            """)
        .configuration();
  }

  @Test
  void joinsThePoolOfItsModel() throws Exception {
    Configuration configuration = ofSeveralPools();

    assertThat(nodes("local", WORKSTATION).toAdd(configuration, List.of()))
        .containsExactly(new NodePlan("node-0", "desks", "local"));
    assertThat(nodes(null, WORKSTATION).toAdd(configuration, List.of())).isEmpty();
  }

  @Test
  void aKnownNodeGetsGpusInThePoolThatItJoinedIfThatIsForThem() throws Exception {
    UpNodes local = nodes("local", WORKSTATION);

    assertThat(local.toAdd(ofSeveralPools(), List.of(CPU.in("machines"))))
        .containsExactly(LOCAL.in("machines"));
    assertThat(LocalGpus.remarks(WORKSTATION.devices(), "machines", true))
        .contains("in pool machines");
    assertThatThrownBy(() -> local.toAdd(ofSeveralPools(), List.of(CPU.in("datacentre"))))
        .isInstanceOfSatisfying(
            UsageException.class,
            refusal ->
                assertThat(refusal)
                    .hasMessage(
                        "node node-0 belongs to pool datacentre (H100), but --nodes gives it RTX4090"));
    assertThat(local.toAdd(ofSeveralPools(), List.of(LOCAL.in("datacentre"))))
        .as("it starts again as it was")
        .containsExactly(LOCAL.in("datacentre"));
  }
}
