package io.headgate.agent.container;

import org.junit.jupiter.api.Test;

/// The contract of image stores against the real containerd.
class RealContainerdTest extends ImageStoreContract {
  RealContainerdTest() {
    super(ImageStores.Wanted.CONTAINERD);
  }

  @Test
  void isNotTheImagesFaultIfItIsAway() throws Exception {
    takesNoImageForAbsentWhoseDaemonIs(((RealContainerd) engine()).daemon());
  }
}
