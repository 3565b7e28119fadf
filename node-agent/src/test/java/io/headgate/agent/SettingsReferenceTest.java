package io.headgate.agent;

import io.headgate.kit.testing.SettingsPage;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/// Keeps docs/reference/node-agent-settings.md equal to the records that the process reads.
class SettingsReferenceTest {
  private static final SettingsPage PAGE =
      new SettingsPage("headgate-agent", "node-agent", AgentMain.Config.class);

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
