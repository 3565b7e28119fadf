package io.headgate.agent.kubernetes;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateTerminatedBuilder;
import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodListBuilder;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;

/// A stand-in for a cluster of one node.
///
/// Its API server keeps pods and speaks HTTP. Its kubelet runs them in real namespaces and as their
/// real user, until a client deletes them. An image there consists of the machine's own programs.
public final class StandInCluster implements Cluster {
  public static final String NODE = "gpu-7";
  private static final String PODS = "/api/v1/namespaces/" + NAMESPACE + "/pods";

  /// The requests so far: `POST NAME`, `GET NAME`, `DELETE NAME 31`.
  public final List<String> calls = new CopyOnWriteArrayList<>();

  /// The HTTP status of each answer; 200 answers normally, 0 does not answer.
  public volatile int answers = 200;

  /// Once it is complete, the kubelet says which containers have ended.
  public volatile CompletableFuture<Void> reports = CompletableFuture.completedFuture(null);

  /// Whether the kubelet runs what is bound to it.
  public volatile boolean starts = true;

  private final Path directory;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Pod> pods = new ConcurrentHashMap<>();
  private final Set<String> exhausted = ConcurrentHashMap.newKeySet();
  private final Map<String, StandInContainer> containers = new ConcurrentHashMap<>();

  /// One that keeps its files in the directory.
  public StandInCluster(Path directory) throws IOException {
    this.directory = directory;
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
  }

  @Override
  public URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  @Override
  public Path token() {
    return directory.resolve("token");
  }

  @Override
  public Path trust() {
    return directory.resolve("ca.crt");
  }

  @Override
  public String node() {
    return NODE;
  }

  @Override
  public List<Pod> pods() {
    return List.copyOf(pods.values());
  }

  @Override
  public void leave(Pod pod) {
    pods.put(pod.getMetadata().getName(), pod);
  }

  /// Runs what it did not.
  public void startAll() {
    starts = true;
    pods.values().forEach(pod -> threads.execute(() -> run(pod)));
  }

  /// Changes the status of all pods.
  public void say(UnaryOperator<PodStatusBuilder> change) {
    pods.replaceAll((_, pod) ->
        new PodBuilder(pod)
            .withStatus(change.apply(new PodStatusBuilder(pod.getStatus())).build())
            .build());
  }

  /// Ends all containers at once, as a kubelet that has no memory left does.
  public void kill(UnaryOperator<PodStatusBuilder> saying) {
    say(saying);
    containers.values().forEach(StandInContainer::kill);
  }

  @Override
  public void delete(Duration grace) {
    pods.keySet().forEach(name -> delete(name, grace));
  }

  @Override
  public void exhaustMemory() {
    containers.forEach((name, container) -> {
      exhausted.add(name);
      container.killJob();
    });
  }

  @Override
  public void forget() {
    pods.clear();
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      String path = exchange.getRequestURI().getPath();
      if (answers == 0) {
        return;
      }
      if (answers != 200 || !path.startsWith(PODS)) {
        refuse(exchange, answers == 200 ? 404 : answers, "not now");
        return;
      }
      String name = path.substring(PODS.length()).replace("/", "");
      switch (exchange.getRequestMethod()) {
        case "POST" -> create(exchange, Serialization.unmarshal(body, Pod.class));
        case "GET" -> get(exchange, name);
        case "DELETE" -> {
          long grace = Serialization.unmarshal(body, DeleteOptions.class).getGracePeriodSeconds();
          calls.add("DELETE " + name + " " + grace);
          if (delete(name, Duration.ofSeconds(grace))) {
            answer(exchange, 200, Serialization.asJson(new StatusBuilder().build()));
          } else {
            refuse(exchange, 404, "pods \"%s\" not found".formatted(name));
          }
        }
        default -> refuse(exchange, 405, exchange.getRequestMethod());
      }
    }
  }

  private void create(HttpExchange exchange, Pod asked) throws IOException {
    String name = asked.getMetadata().getName();
    calls.add("POST " + name);
    Pod pod =
        new PodBuilder(asked)
            .editMetadata()
            .withUid(UUID.randomUUID().toString())
            .endMetadata()
            .withNewStatus()
            .withPhase("Pending")
            .endStatus()
            .build();
    if (pods.putIfAbsent(name, pod) != null) {
      refuse(exchange, 409, "pods \"%s\" already exists".formatted(name));
      return;
    }
    answer(exchange, 201, Serialization.asJson(pod));
    if (starts) {
      threads.execute(() -> run(pod));
    }
  }

  private void get(HttpExchange exchange, String name) throws IOException {
    calls.add("GET " + name);
    if (name.isEmpty()) {
      String selector = String.valueOf(exchange.getRequestURI().getQuery());
      List<Pod> chosen =
          pods.values().stream()
              .filter(pod ->
                  pod.getMetadata().getLabels().entrySet().stream()
                      .anyMatch(
                          label -> selector.contains(label.getKey() + "=" + label.getValue())))
              .toList();
      answer(exchange, 200, Serialization.asJson(new PodListBuilder().withItems(chosen).build()));
      return;
    }
    Optional<Pod> pod = Optional.ofNullable(pods.get(name));
    if (pod.isPresent()) {
      answer(exchange, 200, Serialization.asJson(pod.get()));
    } else {
      refuse(exchange, 404, "pods \"%s\" not found".formatted(name));
    }
  }

  private boolean delete(String name, Duration grace) {
    Pod pod =
        pods.computeIfPresent(
            name,
            (_, known) ->
                new PodBuilder(known)
                    .editMetadata()
                    .withDeletionTimestamp("2026-11-23T00:00:00Z")
                    .endMetadata()
                    .build());
    if (pod == null) {
      return false;
    }
    threads.execute(() -> {
      StandInContainer container = containers.get(name);
      if (container != null) {
        container.stop(grace);
      }
      pods.remove(name);
    });
    return true;
  }

  private void run(Pod pod) {
    String name = pod.getMetadata().getName();
    String image = pod.getSpec().getContainers().getFirst().getImage();
    if (image.equals(ABSENT)) {
      say(status ->
          status
              .withContainerStatuses()
              .addNewContainerStatus()
              .withNewState()
              .withNewWaiting("manifest unknown", "ErrImagePull")
              .endState()
              .endContainerStatus());
      return;
    }
    StandInContainer container = StandInContainer.start(pod, directory);
    containers.put(name, container);
    pods.computeIfPresent(
        name,
        (_, known) -> new PodBuilder(known).editStatus().withPhase("Running").endStatus().build());
    int code = container.awaitEnd();
    reports.join();
    ContainerStateTerminated ended =
        new ContainerStateTerminatedBuilder()
            .withExitCode(code)
            .withReason(exhausted.contains(name) ? "OOMKilled" : code == 0 ? "Completed" : "Error")
            .withMessage(container.lastWords())
            .build();
    pods.computeIfPresent(
        name,
        (_, known) ->
            new PodBuilder(known)
                .editStatus()
                .withPhase(code == 0 ? "Succeeded" : "Failed")
                .withContainerStatuses()
                .addNewContainerStatus()
                .withNewState()
                .withTerminated(ended)
                .endState()
                .endContainerStatus()
                .endStatus()
                .build());
  }

  private static void refuse(HttpExchange exchange, int code, String message) throws IOException {
    answer(
        exchange,
        code,
        Serialization.asJson(
            new StatusBuilder().withCode(code).withStatus("Failure").withMessage(message).build()));
  }

  private static void answer(HttpExchange exchange, int code, String json) throws IOException {
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(code, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    containers.values().forEach(StandInContainer::kill);
    server.stop(0);
    threads.close();
  }
}
