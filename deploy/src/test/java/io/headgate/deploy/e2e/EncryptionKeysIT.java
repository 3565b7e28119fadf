package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.deploy.InstallationConfig;
import io.headgate.deploy.InstallationConfig.KeyChange;
import io.headgate.kit.file.Directories;
import io.headgate.kit.lifecycle.CannotStartException;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Submission;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The key-encryption keys of `headgate up` change at a start, or are lost with their directory.
class EncryptionKeysIT {
  private static final String CONFIGURATION =
      """
      groups: [{name: team, users: [ada]}]
      pools: [{name: local, type: static}]
      profiles: [{name: one, gpus: 1, pools: [local]}]
      policies:
        - name: team
          group: team
          reservation: 1
          limit: 2
          queues: [{name: team-one, profile: one}]
      vaults: [{name: team, groups: [team], environment: {PROXY: "http://proxy"}}]
      """;

  @TempDir private Path directory;

  private TestInstallation start(KeyChange change) throws Exception {
    return TestInstallation.start(InstallationConfig.of(directory, 0).withKeyChange(change));
  }

  private static JobSpec job(List<String> command, boolean draft) {
    return JobSpec.of("team-one", command)
        .withEnvironment(Map.of("TOKEN", "swordfish"))
        .withDraft(draft);
  }

  private static Map<String, String> environment(TestInstallation headgate) {
    return headgate.jobs().get("kept").spec().environment();
  }

  private static final Set<PosixFilePermission> OWNER_ONLY =
      EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

  @Test
  void theyChangeAtAStartAndALossCostsWhatTheySealed() throws Exception {
    try (TestInstallation headgate = start(KeyChange.NONE).withConfiguration(CONFIGURATION)) {
      var _ = headgate.jobs().submit(new Submission(job(List.of("/bin/true"), true), "kept", null));
    }
    List<Path> files =
        List.of(
            directory.resolve("secrets/key-encryption-key"),
            directory.resolve("secrets/pool/key-encryption-key"),
            directory.resolve("secrets/scheduler/key-encryption-key"));

    try (TestInstallation headgate = start(KeyChange.ROTATE)) {
      assertThat(headgate.told("encryption keys")).contains("in force");
      assertThat(environment(headgate)).containsEntry("TOKEN", "swordfish");
    }
    for (Path file : files) {
      List<String> keys = Files.readAllLines(file);
      assertThat(keys).as(file.toString()).hasSize(2);
      Files.write(file, keys.subList(0, 1));
    }
    try (TestInstallation headgate = start(KeyChange.NONE)) {
      assertThat(environment(headgate)).containsEntry("TOKEN", "swordfish");
    }

    Directories.delete(directory.resolve("secrets"));
    assertThatThrownBy(() -> start(KeyChange.NONE))
        .isInstanceOf(CannotStartException.class)
        .hasMessageContaining(files.getFirst().toString())
        .hasMessageContaining("--replace-encryption-key");
    assertThat(files.getFirst()).doesNotExist();
    assertThatThrownBy(() -> start(KeyChange.REPLACE))
        .as("the directory may not be mounted")
        .isInstanceOf(CannotStartException.class)
        .hasMessageContaining(files.getFirst().toString());
    for (Path file : files) {
      Files.createDirectories(Objects.requireNonNull(file.getParent()));
      Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    }
    try (TestInstallation headgate =
        start(KeyChange.REPLACE)
            .withConfiguration(CONFIGURATION)
            .withNode("a-0", "local", "1xA100-80GiB")) {
      assertThat(environment(headgate)).isEmpty();
      var _ = headgate.jobs().submit(new Submission(job(List.of("/bin/true"), false), "new", null));
      headgate.awaitState("new", JobState.DONE);
    }
  }
}
