package io.headgate.agent.kubernetes;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.Supplier;

/// Pods by fabric8's client, over the HTTP client of the JDK. The caller repeats failed requests,
/// and knows when to stop, so the client itself repeats nothing.
public final class Fabric8Pods implements PodApi {
  private static final int CONFLICT = 409;
  private static final int TIMEOUT_MILLIS = 10_000;
  private static final String DISRUPTION = "DisruptionTarget";

  /// Status codes of requests that will fail again: a bad or forbidden request, an invalid pod.
  private static final List<Integer> REFUSALS = List.of(400, 403, 404, 405, 413, 422);

  private final KubernetesClient client;
  private final PodSettings settings;

  private Fabric8Pods(KubernetesClient client, PodSettings settings) {
    this.client = client;
    this.settings = settings;
  }

  /// Gets ready to speak to the server, without doing so.
  public static Fabric8Pods open(PodSettings settings) {
    ConfigBuilder config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl(settings.server().toString())
            .withNamespace(settings.namespace())
            .withRequestRetryBackoffLimit(0)
            .withRequestTimeout(TIMEOUT_MILLIS)
            .withConnectionTimeout(TIMEOUT_MILLIS);
    settings.trust().ifPresent(file -> config.withCaCertFile(file.toString()));
    settings.token().ifPresent(file -> config.withOauthTokenProvider(() -> read(file)));
    // A serialization that does not search for the classes of all kinds of objects.
    KubernetesSerialization serialization = new KubernetesSerialization(new ObjectMapper(), false);
    KubernetesClient client =
        new KubernetesClientBuilder()
            .withConfig(config.build())
            .withKubernetesSerialization(serialization)
            .build();
    return new Fabric8Pods(client, settings);
  }

  /// The kubelet renews it.
  private static String read(Path token) {
    try {
      return Files.readString(token).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public PodState create(PodRequest request) throws IOException {
    try {
      return state(client.resource(PodForm.of(request, settings)).create());
    } catch (KubernetesClientException e) {
      if (e.getCode() == CONFLICT) {
        return existing(request);
      }
      if (REFUSALS.contains(e.getCode())) {
        throw new RefusedException(problem(e));
      }
      throw failure(e);
    } catch (UncheckedIOException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private PodState existing(PodRequest request) throws IOException {
    PodState found =
        find(request.name())
            .orElseThrow(
                () -> new IOException("the earlier pod of this name is still being deleted"));
    if (!found.attempt().equals(request.attempt())) {
      throw new RefusedException("another owner has a pod named " + request.name());
    }
    return found;
  }

  @Override
  public Optional<PodState> find(String name) throws IOException {
    return Optional.ofNullable(asked(() -> pods().withName(name).get())).map(Fabric8Pods::state);
  }

  @Override
  public void delete(String name, Duration grace) throws IOException {
    var _ =
        asked(() -> pods().withName(name).withGracePeriod(Math.max(1, grace.toSeconds())).delete());
  }

  @Override
  public List<PodState> list() throws IOException {
    return asked(() -> pods().withLabel(PodForm.AGENT, settings.agent()).list()).getItems().stream()
        .map(Fabric8Pods::state)
        .toList();
  }

  @Override
  public void close() {
    client.close();
  }

  private MixedOperation<Pod, PodList, PodResource> pods() {
    return client.pods();
  }

  private static <T> T asked(Supplier<T> request) throws IOException {
    try {
      return request.get();
    } catch (KubernetesClientException e) {
      throw failure(e);
    } catch (UncheckedIOException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static IOException failure(KubernetesClientException e) {
    return new IOException(
        isUnanswered(e)
            ? "the API server cannot be reached: " + problem(e)
            : "the API server answers " + e.getCode() + ": " + problem(e),
        e);
  }

  private static boolean isUnanswered(KubernetesClientException e) {
    return e.getCode() <= 0;
  }

  private static String problem(KubernetesClientException e) {
    if (isUnanswered(e) && e.getCause() != null) {
      // The exception of a refused connection has no message; its class says enough.
      return e.getCause().toString();
    }
    return Optional.ofNullable(e.getStatus())
        .flatMap(status -> Optional.ofNullable(status.getMessage()))
        .orElseGet(() -> String.valueOf(e.getMessage()));
  }

  static PodState state(Pod pod) {
    PodStatus status = Optional.ofNullable(pod.getStatus()).orElseGet(PodStatus::new);
    Optional<ContainerState> container =
        status.getContainerStatuses().stream().findFirst().flatMap(of(ContainerStatus::getState));
    Optional<ContainerStateTerminated> ended = container.flatMap(of(ContainerState::getTerminated));
    Optional<ContainerStateWaiting> waiting = container.flatMap(of(ContainerState::getWaiting));
    return new PodState(
        pod.getMetadata().getName(),
        pod.getMetadata().getUid(),
        Optional.ofNullable(pod.getMetadata().getAnnotations())
            .flatMap(of(annotations -> annotations.get(PodForm.ATTEMPT)))
            .orElse(""),
        List.of("Succeeded", "Failed").contains(String.valueOf(status.getPhase())),
        Optional.ofNullable(pod.getMetadata().getDeletionTimestamp()).isPresent(),
        ended
            .flatMap(of(ContainerStateTerminated::getExitCode))
            .map(OptionalInt::of)
            .orElseGet(OptionalInt::empty),
        first(status.getReason(), ended.flatMap(of(ContainerStateTerminated::getReason))),
        first(status.getMessage(), ended.flatMap(of(ContainerStateTerminated::getMessage))).strip(),
        waiting.flatMap(of(ContainerStateWaiting::getReason)).orElse(""),
        waiting.flatMap(of(ContainerStateWaiting::getMessage)).orElse(""),
        status.getConditions().stream()
            .filter(condition -> DISRUPTION.equals(condition.getType()))
            .findFirst()
            .map(Fabric8Pods::words));
  }

  private static String words(PodCondition condition) {
    return first(condition.getMessage(), Optional.ofNullable(condition.getReason()));
  }

  private static String first(String preferred, Optional<String> other) {
    return Optional.ofNullable(preferred).or(() -> other).orElse("");
  }

  /// Wraps a property of the library, which is null where the server says nothing.
  private static <T, R> Function<T, Optional<R>> of(Function<T, R> property) {
    return value -> Optional.ofNullable(property.apply(value));
  }
}
