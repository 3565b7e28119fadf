package io.headgate.kit.grpc;

import com.google.rpc.Status;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.grpc.GrpcSerializationFormats;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.SimpleDecoratingHttpService;
import io.grpc.MethodDescriptor;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Bounds how many calls of a method are in progress. One beyond is refused at once, by an answer
/// that was made beforehand and without its request being read: when more is asked for than can be
/// done, what is refused must cost next to nothing, and what is done must be done while its caller
/// still waits for it.
final class Admission extends SimpleDecoratingHttpService {
  private static final Duration RETRY = Duration.ofSeconds(1);

  /// By the path of each method.
  private final Map<String, Gate> gates;

  private final LongAdder refused;

  /// @param bounds the most calls of each method
  /// @param refused counts what is refused
  Admission(HttpService delegate, Map<MethodDescriptor<?, ?>, Integer> bounds, LongAdder refused) {
    super(delegate);
    this.refused = refused;
    this.gates =
        bounds.entrySet().stream()
            .collect(
                Collectors.toUnmodifiableMap(
                    bound -> "/" + bound.getKey().getFullMethodName(),
                    bound -> new Gate(bound.getKey(), bound.getValue())));
  }

  @Override
  public HttpResponse serve(ServiceRequestContext call, HttpRequest request) throws Exception {
    @Nullable Gate gate = gates.get(call.path());
    if (gate == null) {
      return unwrap().serve(call, request);
    }
    if (!gate.enter()) {
      refused.increment();
      return HttpResponse.of(gate.refusal);
    }
    try {
      HttpResponse answer = unwrap().serve(call, request);
      var _ = answer.whenComplete().handle((_, _) -> gate.leave());
      return answer;
    } catch (Exception | Error e) {
      gate.leave();
      throw e;
    }
  }

  private static final class Gate {
    private final int most;
    private final ResponseHeaders refusal;
    private final AtomicInteger inProgress = new AtomicInteger();

    Gate(MethodDescriptor<?, ?> method, int most) {
      this.most = most;
      this.refusal =
          headers(
              GrpcFailures.proto(
                  Refusal.exhausted(
                      "OVERLOADED",
                      "the server has %d calls of %s in progress; try again"
                          .formatted(most, method.getBareMethodName()),
                      RETRY)));
    }

    boolean enter() {
      if (inProgress.incrementAndGet() > most) {
        leave();
        return false;
      }
      return true;
    }

    int leave() {
      return inProgress.decrementAndGet();
    }
  }

  /// The whole answer, as gRPC has it where nothing but a status is said.
  private static ResponseHeaders headers(Status status) {
    return ResponseHeaders.builder(HttpStatus.OK)
        .contentType(GrpcSerializationFormats.PROTO.mediaType())
        .addInt("grpc-status", status.getCode())
        .add("grpc-message", status.getMessage())
        .add(
            "grpc-status-details-bin",
            Base64.getEncoder().withoutPadding().encodeToString(status.toByteArray()))
        .build();
  }
}
