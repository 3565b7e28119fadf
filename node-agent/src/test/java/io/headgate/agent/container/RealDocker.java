package io.headgate.agent.container;

import io.headgate.kit.testing.Needed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The machine's docker, with a containerd of its own.
record RealDocker(RealContainerd containerd, Daemon daemon) implements DockerLike {
  private static final Path DOCKERD = Path.of("/usr/sbin/dockerd");

  static RealDocker in(Path directory) throws Exception {
    RealEngine.need(DOCKERD, Needed.DOCKER);
    Path root = Files.createDirectory(directory.resolve("docker"));
    RealContainerd containerd = RealContainerd.in(directory);
    ProcessBuilder command =
        new ProcessBuilder(
            DOCKERD.toString(),
            "--data-root=" + root.resolve("root"),
            "--exec-root=" + root.resolve("exec"),
            "--pidfile=" + root.resolve("pid"),
            "--host=unix://" + root.resolve("s"),
            "--containerd=" + containerd.socket(),
            "--storage-driver=overlay2",
            "--bridge=none",
            "--iptables=false",
            "--ip6tables=false");
    return new RealDocker(
        containerd,
        Daemon.start(
            root, command, Path.of("/usr/bin/docker"), "--host=unix://" + root.resolve("s")));
  }

  @Override
  public Path program() {
    return daemon.client();
  }

  @Override
  public void close() throws IOException {
    daemon.stop();
    containerd.close();
  }
}
