package io.headgate.agent.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.headgate.agent.container.ImageStore.ImageException;
import io.headgate.agent.core.Container.PullPolicy;
import io.headgate.type.ImageReference;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How podman is called; what it does then, `RealPodmanTest` shows.
class PodmanTest {
  private static final ImageReference TRAIN = ImageReference.parse("localhost/train:1");

  @TempDir Path root;
  private FakePodman fake;
  private ImageStore store;

  @BeforeEach
  void open() throws Exception {
    fake = FakePodman.in(root);
    store = Podman.open(fake.program(), Duration.ofMinutes(10));
  }

  @Test
  void hasAnImagesFilesInAContainerThatNeverStarts() throws Exception {
    ImageStore.Image files =
        store.open("headgate.a", TRAIN, PullPolicy.IF_NOT_PRESENT, () -> false);
    assertThat(files.root()).isEqualTo(root.resolve("podman/store/headgate.a")).isDirectory();
    assertThat(files.workingDirectory()).contains("/usr");
    assertThat(files.environment()).containsEntry("OF_IMAGE", "a=b").hasSize(3);
    assertThat(store.list("headgate.a")).containsExactly("headgate.a");
    store.remove("headgate.a");
    store.remove("headgate.a");
    assertThat(store.description()).isEqualTo("podman 9.9");
    assertThat(store.list("")).isEmpty();
    assertThat(fake.calls())
        .startsWith(
            "version --format {{.Client.Version}}",
            "create --quiet --replace --name=headgate.a --pull=missing --image-volume=ignore"
                + " --network=none -- localhost/train:1 never-started",
            "mount -- headgate.a")
        .contains("rm --force --ignore --time=0 -- headgate.a");
  }

  @Test
  void saysWhatPodmanSays() {
    assertThatExceptionOfType(ImageException.class)
        .isThrownBy(() ->
            store.open(
                "a", ImageReference.parse("localhost/absent"), PullPolicy.ALWAYS, () -> false))
        .withMessage(
            "image localhost/absent:latest is not available: podman create: Error: no such image");
  }

  /// The job may run on another machine.
  @Test
  void takesNoImageForAbsentWhoseStoreIsBroken() throws Exception {
    fake.breakDown();
    assertThatExceptionOfType(EngineProgram.FailedException.class)
        .isThrownBy(() -> store.open("a", TRAIN, PullPolicy.IF_NOT_PRESENT, () -> false))
        .withMessage("podman info: Error: database is locked");
  }

  @Test
  void givesUpAnImageThatNoJobWantsAnyMore() {
    AtomicInteger asked = new AtomicInteger();
    assertThatExceptionOfType(ImageException.class)
        .isThrownBy(() ->
            store.open(
                "a",
                ImageReference.parse("localhost/slow"),
                PullPolicy.ALWAYS,
                () -> asked.incrementAndGet() > 2))
        .withMessage("image localhost/slow:latest is not available: not wanted");
  }

  @Test
  void takesTheRootForNoWorkingDirectory() {
    assertThat(ImageDefaults.read("/\0\n").at(root).workingDirectory()).isEmpty();
    assertThat(ImageDefaults.read("\0\n").at(root).workingDirectory()).isEmpty();
  }

  @Test
  void isNotThere() {
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> Podman.open(root.resolve("none"), Duration.ofMinutes(1)))
        .withMessageContaining("none");
  }
}
