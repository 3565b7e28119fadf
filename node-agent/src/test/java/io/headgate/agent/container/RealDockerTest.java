package io.headgate.agent.container;

import org.junit.jupiter.api.Test;

/// The contract of image stores against the real docker.
class RealDockerTest extends ImageStoreContract {
  RealDockerTest() {
    super(ImageStores.Wanted.DOCKER);
  }

  @Test
  void isNotTheImagesFaultIfItIsAway() throws Exception {
    takesNoImageForAbsentWhoseDaemonIs(((RealDocker) engine()).daemon());
  }
}
