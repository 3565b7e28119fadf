package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.deploy.e2e.LiveCli.Result;
import io.headgate.sdk.model.IssuedKey;
import java.nio.file.Files;
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
            .withConfiguration(
                "groups: [{name: team, users: [ada, grace]}]\npolicies: [{name: team, group: team, limit: 1}]\n")) {
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
      assertThat(member.run("tenants", "-o", "name").lines()).containsExactly("acme");
      assertThat(member.run("tenants", "add", "globex").err()).contains("ROLE_DENIED");
      assertThat(operator.run("tenants", "add", "globex", "--display-name", "Globex Inc").out())
          .isEqualTo("globex is a tenant\n");
      assertThat(operator.run("tenants").out()).contains("acme", "globex", "Globex Inc");
      assertThat(operator.run("admins", "add", "hank", "-t", "globex").out())
          .isEqualTo("hank is an admin\n");
      assertThat(operator.run("tenants", "remove", "acme", "--yes").err())
          .contains("TENANT_IN_USE");
      assertThat(operator.run("tenants", "remove", "globex", "--yes").out())
          .isEqualTo("globex is removed\n");
      assertThat(operator.run("tenants", "add", "globex").err()).contains("NAME_TAKEN");
      assertThat(operator.run("admins", "remove", "ada").out()).isEqualTo("ada is no admin\n");
      assertThat(operator.run("admins", "-o", "name").lines()).containsExactly("root");
    }
  }

  @Test
  void aFileStatesTheAdmins() throws Exception {
    try (TestInstallation headgate =
        TestInstallation.start(directory)
            .withConfiguration("groups: [{name: team, users: [ada, grace]}]\n")) {
      LiveCli operator = LiveCli.of(headgate);
      Path file = directory.resolve("acme.yaml");
      assertThat(operator.run("export", "--into", file.toString()).exitCode()).isZero();
      assertThat(Files.readString(file)).contains("admins: []\n");
      Files.writeString(
          file, Files.readString(file).replace("admins: []", "admins: [ada]   # the boss"));
      assertThat(operator.run("plan", file.toString()).out()).contains("admins", "+ ada");
      assertThat(operator.run("admins", "-o", "name").out()).isEmpty();
      assertThat(operator.run("apply", "-f", file.toString(), "--yes").exitCode()).isZero();
      assertThat(operator.run("admins", "-o", "name").out()).isEqualTo("ada\n");
      assertThat(operator.run("plan", file.toString()).out()).startsWith("No changes.");

      IssuedKey.Made made =
          headgate.operator().createKey("tenants/acme/users/ada", "a test's", Duration.ofHours(1));
      LiveCli ada = LiveCli.of(headgate.installation().uri(), made.secret());
      String mine = Files.readString(file);
      Files.writeString(file, mine.replace("[ada]", "[grace]"));
      Result refused = ada.run("apply", "-f", file.toString(), "--yes");
      assertThat(refused.err())
          .contains("ADMINS_WITHOUT_CALLER", "add ada, or let an operator make it", "acme.yaml:");
      Files.writeString(file, mine.replace("[ada]", "[ada, grace]"));
      assertThat(ada.run("apply", "-f", file.toString(), "--yes").exitCode()).isZero();
      assertThat(ada.run("export").out()).contains("admins: [ada, grace]\n");
      assertThat(operator.run("admins", "remove", "grace").exitCode()).isZero();
      assertThat(ada.run("export", "--into", file.toString()).out()).contains("edited in 1 place");
      assertThat(Files.readString(file)).isEqualTo(mine);
    }
  }
}
