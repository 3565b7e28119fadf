package io.headgate.agent.container;

import org.junit.jupiter.api.Test;

/// What the real containerd does with what we ask of it.
class RealContainerdTest extends ImageStoreContract {
  RealContainerdTest() {
    super(ImageStores.Wanted.CONTAINERD);
  }

  @Test
  void isNotTheImagesFaultIfItIsAway() throws Exception {
    takesNoImageForAbsentWhoseDaemonIs(((RealContainerd) engine()).daemon());
  }
}
