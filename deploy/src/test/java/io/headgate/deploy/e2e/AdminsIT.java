package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.deploy.e2e.LiveCli.Result;
import io.headgate.sdk.model.IssuedKey;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `headgate admins` and `headgate users`.
class AdminsIT {
  @TempDir private Path directory;

  @Test
  void anAdminIsMadeAndUnmadeAndNoMemberDoesThat() throws Exception {
    try (TestInstallation headgate =
        TestInstallation.start(directory)
            .withConfiguration("groups: [{name: team, users: [ada, grace]}]\n")) {
      LiveCli operator = LiveCli.of(headgate);
      assertThat(operator.run("admins", "add", "ada", "root").out())
          .isEqualTo("ada is an admin\nroot is an admin\n");
      assertThat(operator.run("admins", "-o", "name").lines()).containsExactly("ada", "root");
      assertThat(operator.run("users", "-o", "name").lines())
          .containsExactly("ada", "grace", "root");
      IssuedKey.Made made =
          headgate
              .operator()
              .createKey("tenants/acme/users/grace", "a test's", Duration.ofHours(1));
      LiveCli member = LiveCli.of(headgate.installation().uri(), made.secret());
      Result refused = member.run("admins", "add", "grace");
      assertThat(refused.exitCode()).isNotZero();
      assertThat(refused.err()).contains("ROLE_DENIED");
      assertThat(member.run("users", "-o", "name").lines()).containsExactly("grace");
      assertThat(operator.run("admins", "remove", "ada").out()).isEqualTo("ada is no admin\n");
      assertThat(operator.run("admins", "-o", "name").lines()).containsExactly("root");
    }
  }
}
