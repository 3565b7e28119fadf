package io.headgate.agent.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The directory in which images are mounted; what is mounted there, the contract of stores shows.
class ImageMountsTest {
  @TempDir Path root;

  @Test
  void givesAnOverlayARootThatEverybodyMayEnter() throws Exception {
    Path own = root.resolve("own");
    Path changed = Files.createDirectories(own.resolve("changed"));
    Files.setPosixFilePermissions(changed, PosixFilePermissions.fromString("rwx------"));
    ImageMounts.Recipe.overlay(List.of(root), own);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(changed)))
        .isEqualTo("rwxr-xr-x");
  }

  @Test
  void isClosedToOthers() throws Exception {
    Path directory = root.resolve("run/images");
    ImageMounts.in(directory);
    ImageMounts.in(directory);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
        .isEqualTo("rwx------");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx-----x"));
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> ImageMounts.in(directory))
        .withMessageContaining("other users can read it");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
        .as("whosever it is")
        .isEqualTo("rwx-----x");
  }
}
