package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.deploy.TemporaryUser;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.model.IssuedKey;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The users of the demo come again with each run on one data directory.
class VisitorIT {
  @TempDir private Path directory;

  @Test
  void leavesNoKeyBehindHoweverOftenItComes() throws Exception {
    for (int run = 0; run < 2; run++) {
      try (TestInstallation headgate =
          TestInstallation.start(directory)
              .withConfiguration(
                  """
                  groups: [{name: team, users: [ada]}]
                  """)) {
        HeadgateClient operator = headgate.operator();
        try (TemporaryUser ada =
            TemporaryUser.enter(
                headgate.installation(), operator, TestInstallation.TENANT, "ada")) {
          assertThat(ada.client().whoAmI().user()).isEqualTo("ada");
          List<IssuedKey> own = keysOfAda(operator);
          assertThat(own).as("run %d", run).hasSize(1);
          assertThat(own.getFirst().expireTime())
              .as("ends by itself when the run is killed")
              .isBefore(Instant.now().plus(Duration.ofHours(2)));
        }
        assertThat(keysOfAda(operator)).as("run %d", run).isEmpty();
      }
    }
  }

  private static List<IssuedKey> keysOfAda(HeadgateClient operator) {
    return operator.keys(TestInstallation.TENANT).stream()
        .filter(key -> key.owner().endsWith("/users/ada"))
        .toList();
  }
}
