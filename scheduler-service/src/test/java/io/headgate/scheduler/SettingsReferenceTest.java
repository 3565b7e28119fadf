package io.headgate.scheduler;

import io.headgate.kit.testing.SettingsPage;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/// Keeps docs/reference/scheduler-service-settings.md equal to the records that the process reads.
class SettingsReferenceTest {
  private static final SettingsPage PAGE =
      new SettingsPage("scheduler-service", "scheduler-service", SchedulerMain.Config.class);

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
