package io.headgate.agent.container;

import org.junit.jupiter.api.Test;

/// What the real docker does with what we ask of it.
class RealDockerTest extends ImageStoreContract {
  RealDockerTest() {
    super(ImageStores.Wanted.DOCKER);
  }

  @Test
  void isNotTheImagesFaultIfItIsAway() throws Exception {
    takesNoImageForAbsentWhoseDaemonIs(((RealDocker) engine()).daemon());
  }
}
