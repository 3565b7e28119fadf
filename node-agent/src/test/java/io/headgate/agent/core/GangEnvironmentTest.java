package io.headgate.agent.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GangEnvironmentTest {
  private static final Rendezvous RENDEZVOUS =
      new Rendezvous(List.of("10.0.0.1", "10.0.0.1", "10.0.0.2"), 29501, 0, 2, 0);

  @Test
  void namesTheMasterForTorchrunAndForProgramsOfTheirOwn() {
    assertThat(
            GangEnvironment.conventions(
                Fixtures.assignment("a"), RENDEZVOUS, "/hosts", Optional.of("eth0")))
        .containsEntry("RANK", "0")
        .containsEntry("LOCAL_WORLD_SIZE", "2")
        .containsEntry("MASTER_ADDR", "10.0.0.1")
        .containsEntry("MASTER_PORT", "29501")
        .containsEntry("PET_MASTER_ADDR", "10.0.0.1")
        .containsEntry("PET_MASTER_PORT", "29501")
        .containsEntry("PRTE_MCA_prte_default_hostfile", "/hosts")
        .containsEntry("NCCL_SOCKET_IFNAME", "=eth0");
  }

  @Test
  void listsEachHostOnceWithItsWorkers() {
    assertThat(GangEnvironment.hostfile(RENDEZVOUS.hosts()))
        .isEqualTo("10.0.0.1 slots=2\n10.0.0.2 slots=1\n");
    assertThat(GangEnvironment.own(RENDEZVOUS, "/hosts"))
        .containsEntry("HEADGATE_HOSTS", "10.0.0.1,10.0.0.1,10.0.0.2");
  }

  @Test
  void refusesAnAddressThatWouldForgeALineOfTheHostfile() {
    assertThatThrownBy(() -> new Rendezvous(List.of("a\nb"), 1, 0, 1, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
