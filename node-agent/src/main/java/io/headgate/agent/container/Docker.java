package io.headgate.agent.container;

import io.headgate.agent.core.Container.PullPolicy;
import io.headgate.type.ImageReference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;

/// Docker fetches images and keeps them, for containers that never start, so that their files stay.
/// The agent mounts Docker's layers itself, with the changes beside them and not in Docker's
/// directories.
///
/// @param docker its client
/// @param pullTimeout how long a pull of an image may take
/// @param description name and version
record Docker(EngineProgram docker, ImageMounts mounts, Duration pullTimeout, String description)
    implements ImageStore {
  private static final String OVERLAY = "overlay2";

  /// The layers of an image, the topmost first, and what all images say.
  private static final String TEMPLATE =
      "{{.GraphDriver.Data.UpperDir}}{{\"\\x00\"}}"
          + "{{with index .GraphDriver.Data \"LowerDir\"}}{{.}}{{end}}{{\"\\x00\"}}"
          + ImageDefaults.TEMPLATE;

  /// Tries it.
  ///
  /// @throws IOException why it cannot be used
  static Docker open(Path program, ImageMounts mounts, Duration pullTimeout)
      throws IOException, InterruptedException {
    EngineProgram docker = EngineProgram.at(program);
    String version = docker.run("version", "--format", "{{.Server.Version}}").strip();
    String driver = docker.run("info", "--format", "{{.Driver}}").strip();
    if (!driver.equals(OVERLAY)) {
      throw new IOException(
          "docker uses the storage driver '%s', but only layers of '%s' can be mounted; set containers.store: containerd"
              .formatted(driver, OVERLAY));
    }
    return new Docker(docker, mounts, pullTimeout, "docker " + version);
  }

  @Override
  public Image open(String name, ImageReference image, PullPolicy pull, BooleanSupplier abandoned)
      throws IOException, InterruptedException {
    remove(name);
    try {
      docker.run(
          pullTimeout,
          abandoned,
          "create",
          "--name=" + name,
          "--pull=" + ImageDefaults.pullOption(pull),
          "--network=none",
          "--label=io.headgate.copy",
          "--",
          image.toString(),
          "never-started");
    } catch (EngineProgram.FailedException e) {
      docker.run("version"); // it answers, so it is the image
      throw new ImageException("image %s is not available: %s".formatted(image, e.getMessage()));
    }
    // The image by its number: its name may be another's by now.
    String number = docker.run("container", "inspect", "--format", "{{.Image}}", "--", name);
    String answer = docker.run("image", "inspect", "--format", TEMPLATE, "--", number.strip());
    String[] words = answer.split("\0", 3);
    List<Path> layers = layers(words[0], words[1]);
    ImageMounts.Recipe recipe = ImageMounts.Recipe.overlay(layers, mounts.place(name));
    return ImageDefaults.read(words[2]).at(mounts.mount(name, recipe));
  }

  /// The layers by their short names `…/l/NAME`, which docker makes because their real paths are
  /// long.
  private static List<Path> layers(String upper, String lower) throws IOException {
    List<String> directories = new ArrayList<>(List.of(upper));
    directories.addAll(Arrays.stream(lower.split(":")).filter(path -> !path.isEmpty()).toList());
    List<Path> layers = new ArrayList<>();
    for (String directory : directories) {
      Path layer = Path.of(directory);
      String link = Files.readString(layer.resolveSibling("link")).strip();
      layers.add(layer.resolve("../../l").resolve(link).normalize());
    }
    return layers;
  }

  @Override
  public void remove(String name) throws IOException, InterruptedException {
    mounts.remove(name);
    if (list(name).contains(name)) {
      // The volumes that the image made docker create go, too.
      docker.run("rm", "--force", "--volumes", "--", name);
    }
  }

  @Override
  public List<String> list(String prefix) throws IOException, InterruptedException {
    return docker
        .run("ps", "--all", "--format", "{{.Names}}")
        .lines()
        .map(String::strip)
        .filter(name -> name.startsWith(prefix))
        .toList();
  }
}
