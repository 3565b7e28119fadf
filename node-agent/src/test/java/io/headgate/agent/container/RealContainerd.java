package io.headgate.agent.container;

import io.headgate.kit.testing.Needed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// The machine's containerd.
record RealContainerd(Daemon daemon) implements RealEngine {
  private static final Path CONTAINERD = Path.of("/usr/bin/containerd");

  static RealContainerd in(Path directory) throws Exception {
    RealEngine.need(CONTAINERD, Needed.CONTAINERD);
    Path root = Files.createDirectory(directory.resolve("containerd"));
    Path socket = root.resolve("s");
    Path config =
        Files.writeString(
            root.resolve("config.toml"),
            """
            version = 2
            root = "%1$s/root"
            state = "%1$s/state"
            disabled_plugins = ["io.containerd.grpc.v1.cri"]
            [grpc]
              address = "%2$s"
            """
                .formatted(root, socket));
    ProcessBuilder command =
        new ProcessBuilder(CONTAINERD.toString(), "--config", config.toString());
    return new RealContainerd(
        Daemon.start(root, command, Path.of("/usr/bin/ctr"), "--address=" + socket));
  }

  Path socket() {
    return daemon.root().resolve("s");
  }

  @Override
  public Path program() {
    return daemon.client();
  }

  private String call(String... arguments) throws Exception {
    return Programs.run(
        Stream.concat(Stream.of(program().toString(), "--namespace=headgate"), Stream.of(arguments))
            .toArray(String[]::new));
  }

  @Override
  public void load(Path archive) throws Exception {
    call("images", "import", archive.toString());
  }

  @Override
  public List<String> containers() throws Exception {
    return call("containers", "list", "--quiet").lines().toList();
  }

  /// It collects by itself, soon after a removal, and at once on command.
  @Override
  public void collectGarbage() throws Exception {
    call("images", "delete", "--sync", ImageArchive.NAME);
  }

  @Override
  public String rest() throws Exception {
    return call("leases", "list", "--quiet");
  }

  @Override
  public void close() throws IOException {
    daemon.stop();
  }
}
