package io.headgate.agent.kubernetes;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/// A real one, which `kubectl` administers by a file. It has `headgate-agent.yaml`, and its kubelet
/// the image of [Cluster#IMAGE]. The agent is known there by a token of its service account.
public final class RealCluster implements Cluster {
  private final Path administrator;
  private final Path token;
  private final Path trust;
  private final URI uri;
  private final String node;

  /// @param administrator file for `kubectl`
  /// @param directory for the files that an agent gets
  public RealCluster(Path administrator, Path directory) throws IOException {
    this.administrator = administrator;
    this.token = directory.resolve("token");
    this.trust = directory.resolve("ca.crt");
    Files.writeString(token, kubectl("create", "token", "headgate-agent", "--namespace=headgate"));
    Files.write(trust, Base64.getDecoder().decode(configured("certificate-authority-data")));
    this.uri = URI.create(configured("server"));
    this.node = kubectl("get", "nodes", "--output=jsonpath={.items[0].metadata.name}");
  }

  private String configured(String property) {
    String path = "jsonpath={.clusters[0].cluster." + property + "}";
    return kubectl("config", "view", "--raw", "--flatten", "--minify", "--output", path);
  }

  @Override
  public URI uri() {
    return uri;
  }

  @Override
  public Path token() {
    return token;
  }

  @Override
  public Path trust() {
    return trust;
  }

  @Override
  public String node() {
    return node;
  }

  @Override
  public List<Pod> pods() {
    String json = kubectl("get", "pods", "--namespace=" + NAMESPACE, "--output=json");
    return Serialization.unmarshal(json, PodList.class).getItems();
  }

  @Override
  public void leave(Pod pod) {
    try {
      Path file = Files.createTempFile("pod", ".json");
      Files.writeString(file, Serialization.asJson(pod));
      kubectl("create", "--namespace=" + NAMESPACE, "--filename=" + file);
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void delete(Duration grace) {
    delete("--grace-period=" + grace.toSeconds());
  }

  @Override
  public void forget() {
    delete("--grace-period=0", "--force");
  }

  @Override
  public void exhaustMemory() {
    // The kernel knows by itself.
  }

  private void delete(String... how) {
    List<String> arguments =
        new ArrayList<>(
            List.of("delete", "pods", "--all", "--wait=false", "--namespace=" + NAMESPACE));
    arguments.addAll(List.of(how));
    kubectl(arguments.toArray(String[]::new));
  }

  private String kubectl(String... arguments) {
    List<String> command = new ArrayList<>(List.of("kubectl", "--kubeconfig=" + administrator));
    command.addAll(List.of(arguments));
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.onExit().join().exitValue() != 0) {
        throw new IllegalStateException(String.join(" ", command) + ": " + said);
      }
      return said.strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Leaves nothing there.
  @Override
  public void close() {
    forget();
  }
}
