package io.headgate.policy;

import io.headgate.kit.testing.SettingsPage;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/// Keeps docs/reference/policy-service-settings.md equal to the records that the process reads.
class SettingsReferenceTest {
  private static final SettingsPage PAGE =
      new SettingsPage("policy-service", "policy-service", PolicyServiceMain.Config.class);

  @Test
  void theDocumentIsWhatTheCodeSays() throws IOException {
    PAGE.check();
  }

  @Test
  void everyMeaningIsPlainSentences() {
    PAGE.checkSentences();
  }

  @Test
  void theExampleIsReadWithoutMistakes() {
    PAGE.checkExample();
  }
}
