package io.headgate.sdk.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.proto.policy.v1.Vault;
import org.junit.jupiter.api.Test;

class RightsMessagesTest {
  /// An export that would erase the variable must be refused when it is applied.
  @Test
  void aVariableThatCannotBeDecryptedIsShownAndNotWrittenBack() {
    Vault stored =
        Vault.newBuilder()
            .setName("tenants/acme/vaults/rnd")
            .putEnvironment("PROXY", "http://proxy")
            .addUnreadableVariables("TOKEN")
            .build();
    var exported = RightsMessages.vault(stored);
    assertThat(exported.environment())
        .containsEntry("PROXY", "http://proxy")
        .containsEntry("TOKEN", "(cannot be decrypted)");
    assertThat(RightsMessages.vault("acme", exported)).isEqualTo(stored);
  }
}
