package io.headgate.agent.container;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.headgate.agent.container.ImageStore.ImageException;
import io.headgate.agent.core.Container.PullPolicy;
import io.headgate.type.ImageReference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The contract of an image store, tested against a real engine.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ImageStoreContract {
  /// The name is as long as those that the agent gives.
  private static final String ONE = "headgate.5f." + "a".repeat(120) + ".1";

  private static final String OTHER = "headgate.5f." + "a".repeat(120) + ".2";

  private static final Logger LOG = LoggerFactory.getLogger(ImageStoreContract.class);

  @TempDir Path root;
  private final ImageStores.Wanted wanted;
  private @Nullable RealEngine engine;
  private @Nullable ImageStore store;

  ImageStoreContract(ImageStores.Wanted wanted) {
    this.wanted = wanted;
  }

  @BeforeAll
  void start(@TempDir(factory = InMemory.class) Path machine) throws Exception {
    engine = RealEngine.in(machine, wanted);
    Path program = engine.program();
    store =
        new ImageStores(
                wanted, program, program, program, machine.resolve("mounts"), Duration.ofMinutes(1))
            .open();
  }

  /// Engines flush what they keep, which takes seconds on a disk that others use.
  private static final class InMemory implements TempDirFactory {
    @Override
    public Path createTempDirectory(
        AnnotatedElementContext elementContext, ExtensionContext extensionContext)
        throws IOException {
      return Files.createTempDirectory(Path.of("/dev/shm"), "headgate");
    }
  }

  @AfterAll
  void stop() throws Exception {
    if (engine != null) {
      engine.close();
    }
  }

  RealEngine engine() {
    return requireNonNull(engine);
  }

  ImageStore store() {
    return requireNonNull(store);
  }

  private ImageStore.Image open(String name, PullPolicy pull) throws Exception {
    return open(name, ImageArchive.NAME, pull);
  }

  private ImageStore.Image open(String name, String image, PullPolicy pull) throws Exception {
    return store().open(name, ImageReference.parse(image), pull, () -> false);
  }

  private void nothingIsLeft() throws Exception {
    assertThat(engine().containers()).isEmpty();
    assertThat(engine().rest()).isEmpty();
    assertThat(store().list("")).isEmpty();
  }

  /// For engines that have a daemon: it may be back soon, and be there on another machine.
  void takesNoImageForAbsentWhoseDaemonIs(Daemon daemon) throws Exception {
    engine().load(ImageArchive.make(root, 1));
    ImageStore.Image other = open(OTHER, PullPolicy.NEVER);
    daemon.away(true);
    try {
      assertThatExceptionOfType(IOException.class).isThrownBy(() -> store().remove(OTHER));
      assertThat(other.root()).as("its files are the agent's to unmount").doesNotExist();
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> open(ONE, PullPolicy.IF_NOT_PRESENT));
    } finally {
      daemon.away(false);
    }
    store().remove(OTHER);
    nothingIsLeft();
  }

  @Test
  void hasImagesFilesAndLeavesNothing() throws Exception {
    engine().load(ImageArchive.make(root, 2));
    ImageStore.Image image = open(ONE, PullPolicy.NEVER);
    assertThat(image.root().resolve("hello")).hasContent("there\n");
    assertThat(image.root().resolve("layer-1")).hasContent("1");
    assertThat(image.workingDirectory()).contains("/w");
    assertThat(image.environment()).containsEntry("A", "b=c");
    store().remove(ONE);
    assertThat(image.root().resolve("hello")).doesNotExist();
    assertThat(Files.readString(Path.of("/proc/self/mounts"))).doesNotContain("" + image.root());
    store().remove(ONE);
    nothingIsLeft();
  }

  /// The engine may refuse an archive, or take it with such entries below the image's root.
  @Test
  void hostileLayersChangeNothingOutsideTheImage() throws Exception {
    Path outside = Files.createDirectory(root.resolve("outside"));
    Path canary = Files.writeString(outside.resolve("canary"), "alive");
    Map<String, Path> archives =
        new HostileLayers(Files.createDirectory(root.resolve("hostile")), outside).archives();
    int taken = 0;
    for (Map.Entry<String, Path> archive : archives.entrySet()) {
      try {
        engine().load(archive.getValue());
        open(ONE, PullPolicy.NEVER);
        taken++;
      } catch (IOException | AssertionError refused) {
        LOG.info("{}: {}", archive.getKey(), refused.getMessage());
      }
      store().remove(ONE);
      assertThat(outside).as(archive.getKey()).isDirectoryContaining("glob:**/canary");
      assertThat(canary).as(archive.getKey()).hasContent("alive");
      try (Stream<Path> files = Files.list(outside)) {
        assertThat(files).as(archive.getKey()).containsExactly(canary);
      }
    }
    assertThat(taken).as("images that were taken, so that the attack was tried").isPositive();
    nothingIsLeft();
  }

  @Test
  void hasOneOfEachNameAndKnowsThem() throws Exception {
    engine().load(ImageArchive.make(root, 1));
    ImageStore.Image image = open(ONE, PullPolicy.NEVER);
    Files.createDirectory(image.root().resolve("place"));
    // A later agent, which knows of nothing, begins anew, and there is no second one.
    image = open(ONE, PullPolicy.IF_NOT_PRESENT);
    assertThat(image.root()).isDirectoryNotContaining("glob:**place");
    assertThat(store().list("headgate.5f.")).containsExactly(ONE);
    assertThat(store().list("headgate.6f.")).isEmpty();
    store().remove(ONE);
    nothingIsLeft();
  }

  @Test
  void keepsCopiesOfOneImageApart() throws Exception {
    engine().load(ImageArchive.make(root, 1));
    ImageStore.Image one = open(ONE, PullPolicy.NEVER);
    ImageStore.Image other = open(OTHER, PullPolicy.NEVER);
    Files.writeString(one.root().resolve("hello"), "changed");
    Files.createDirectory(one.root().resolve("place"));
    assertThat(other.root().resolve("hello")).hasContent("there\n");
    assertThat(other.root().resolve("place")).doesNotExist();
    store().remove(ONE);
    assertThat(other.root().resolve("hello")).hasContent("there\n");
    store().remove(OTHER);
    nothingIsLeft();
  }

  @Test
  void keepsWhatIsInUseWhateverIsCollected() throws Exception {
    engine().load(ImageArchive.make(root, 3));
    ImageStore.Image image = open(ONE, PullPolicy.NEVER);
    engine().collectGarbage();
    for (String file : new String[] {"hello", "layer-1", "layer-2"}) {
      assertThat(image.root().resolve(file)).isNotEmptyFile();
    }
    store().remove(ONE);
    nothingIsLeft();
  }

  @Test
  void hasImagesOfManyLayers() throws Exception {
    engine().load(ImageArchive.make(root, 60));
    ImageStore.Image image = open(ONE, PullPolicy.NEVER);
    assertThat(image.root().resolve("hello")).hasContent("there\n");
    assertThat(image.root().resolve("layer-59")).hasContent("59");
    store().remove(ONE);
    nothingIsLeft();
  }

  @Test
  void removesWhatARestartOfTheMachineLeft() throws Exception {
    engine().load(ImageArchive.make(root, 1));
    ImageStore.Image image = open(ONE, PullPolicy.NEVER);
    Programs.run("umount", image.root().toString());
    assertThat(store().list("headgate.")).containsExactly(ONE);
    store().remove(ONE);
    nothingIsLeft();
  }

  @Test
  void saysWhichImageThereIsNot() throws Exception {
    assertThatExceptionOfType(ImageException.class)
        .isThrownBy(() -> open(ONE, "localhost/none:1", PullPolicy.NEVER))
        .withMessageStartingWith("image localhost/none:1 is not available: ");
    assertThatExceptionOfType(ImageException.class)
        .as("its registry is not there")
        .isThrownBy(() -> open(ONE, "localhost:1/none:1", PullPolicy.ALWAYS))
        .withMessageContaining("connection refused");
    nothingIsLeft();
  }
}
