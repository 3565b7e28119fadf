package io.headgate.agent.container;

import io.headgate.agent.core.Container.PullPolicy;
import io.headgate.type.ImageReference;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/// Podman fetches images, keeps them and mounts their files: as containers that it never starts. It
/// has no daemon, so nothing of it is there but while it is called.
///
/// @param pullTimeout how long a pull of an image may take
/// @param description name and version
record Podman(EngineProgram podman, Duration pullTimeout, String description)
    implements ImageStore {
  /// Tries it.
  ///
  /// @throws IOException why it cannot be used
  static Podman open(Path program, Duration pullTimeout) throws IOException, InterruptedException {
    EngineProgram podman = EngineProgram.at(program);
    String version = podman.run("version", "--format", "{{.Client.Version}}");
    return new Podman(podman, pullTimeout, "podman " + version.strip());
  }

  @Override
  public Image open(String name, ImageReference image, PullPolicy pull, BooleanSupplier abandoned)
      throws IOException, InterruptedException {
    try {
      podman.run(
          pullTimeout,
          abandoned,
          "create",
          "--quiet",
          "--replace",
          "--name=" + name,
          "--pull=" + ImageDefaults.pullOption(pull),
          // It would make volumes that stay.
          "--image-volume=ignore",
          "--network=none",
          "--",
          image.toString(),
          "never-started");
    } catch (EngineProgram.FailedException e) {
      podman.run("info"); // its store can be read, so it is the image
      throw new ImageException("image %s is not available: %s".formatted(image, e.getMessage()));
    }
    String root = podman.run("mount", "--", name).strip();
    // The image by its number: its name may be another's by now.
    String number = podman.run("inspect", "--format", "{{.Image}}", "--", name).strip();
    String answer =
        podman.run("image", "inspect", "--format", ImageDefaults.TEMPLATE, "--", number);
    return ImageDefaults.read(answer).at(Path.of(root));
  }

  @Override
  public void remove(String name) throws IOException, InterruptedException {
    podman.run("rm", "--force", "--ignore", "--time=0", "--", name);
  }

  @Override
  public List<String> list(String prefix) throws IOException, InterruptedException {
    return podman
        .run("ps", "--all", "--format", "{{.Names}}")
        .lines()
        .map(String::strip)
        .filter(name -> name.startsWith(prefix))
        .toList();
  }
}
