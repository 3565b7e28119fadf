package io.headgate.sdk.gate;

import com.google.protobuf.Any;
import com.google.protobuf.util.Durations;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RequestInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.StatusProto;
import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.model.ClientConfig.Backoff;
import io.headgate.sdk.model.Credentials;
import io.headgate.sdk.model.ServerAddress;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/// A server that records calls and fails those that a test selects.
public final class TestGate implements AutoCloseable {
  public static final String KEY = "hgk_test";

  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<String> TRACE_PARENT =
      Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);

  public final TestTokens tokens = new TestTokens();
  public final TestJobs jobs = new TestJobs();
  public final TestSupply supply = new TestSupply();
  public final TestRights rights = new TestRights(supply);
  public final TestUsage usage = new TestUsage();
  public final TestUsageReports reports = new TestUsageReports();
  public final TestPlans plans = new TestPlans();
  public final TestAuditLogs audit = new TestAuditLogs();

  /// Names of the calls in order of arrival: `ListJobs`.
  public final List<Call> calls = new CopyOnWriteArrayList<>();

  private final Map<String, Deque<StatusRuntimeException>> failures = new ConcurrentHashMap<>();
  private final Server server;
  private final boolean encrypted;

  /// One received call.
  public record Call(String method, @Nullable String authorization, String traceParent) {}

  private TestGate(int port, @Nullable SslContext tls) {
    this.encrypted = tls != null;
    try {
      server =
          NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
              .sslContext(tls)
              .addService(tokens)
              .addService(new TestTenants())
              .addService(jobs)
              .addService(usage)
              .addService(reports)
              .addService(plans)
              .addService(audit.rights)
              .addService(audit.supply)
              .addService(supply.configurations)
              .addService(supply.pools)
              .addService(supply.profiles)
              .addService(supply.nodes)
              .addService(rights.configurations)
              .addService(rights.policies)
              .addService(rights.queues)
              .addService(rights.vaults)
              .addService(rights.users)
              .addService(rights.serviceAccounts)
              .intercept(new Recorder())
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static TestGate open() {
    return new TestGate(0, null);
  }

  /// An encrypted server.
  public static TestGate open(SslContext tls) {
    return new TestGate(0, tls);
  }

  /// Listens on a port that was in use before; another test's connection may still hold it.
  public static TestGate openAt(int port) {
    return Awaitility.await()
        .dontCatchUncaughtExceptions()
        .ignoreExceptions()
        .atMost(java.time.Duration.ofMinutes(1))
        .until(() -> new TestGate(port, null), Objects::nonNull);
  }

  public int port() {
    return server.getPort();
  }

  public ServerAddress address() {
    return new ServerAddress("127.0.0.1", port(), encrypted);
  }

  /// A client's configuration with pauses that tests can wait for.
  public ClientConfig config() {
    return ClientConfig.of(address(), new Credentials.Key(KEY))
        .withBackoff(
            new Backoff(java.time.Duration.ofMillis(1), java.time.Duration.ofMillis(20), 2));
  }

  /// Makes the next call of this method fail; several failures queue up.
  public void failNext(String method, StatusRuntimeException failure) {
    failures.computeIfAbsent(method, _ -> new ArrayDeque<>()).add(failure);
  }

  /// Number of calls of a method.
  public long count(String method) {
    return calls.stream().filter(call -> call.method().equals(method)).count();
  }

  /// The error that a Headgate service returns for a refusal.
  public static StatusRuntimeException refusal(
      Status.Code code, String reason, String message, Any... more) {
    return refusal(code, reason, message, Map.of(), more);
  }

  /// The error that a Headgate service returns for a refusal with metadata.
  public static StatusRuntimeException refusal(
      Status.Code code, String reason, String message, Map<String, String> metadata, Any... more) {
    com.google.rpc.Status.Builder status =
        com.google.rpc.Status.newBuilder().setCode(code.value()).setMessage(message);
    status.addDetails(
        Any.pack(
            ErrorInfo.newBuilder()
                .setReason(reason)
                .setDomain("headgate.io")
                .putAllMetadata(metadata)
                .build()));
    status.addDetails(Any.pack(RequestInfo.newBuilder().setRequestId("req-1").build()));
    for (Any detail : more) {
      status.addDetails(detail);
    }
    return StatusProto.toStatusRuntimeException(status.build());
  }

  public static Any retryAfter(long millis) {
    return Any.pack(RetryInfo.newBuilder().setRetryDelay(Durations.fromMillis(millis)).build());
  }

  @Override
  public void close() {
    jobs.close();
    server.shutdownNow();
    try {
      server.awaitTermination(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private final class Recorder implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      String method = call.getMethodDescriptor().getBareMethodName();
      String authorization = headers.get(AUTHORIZATION);
      String parent = headers.get(TRACE_PARENT);
      calls.add(new Call(method, authorization, parent == null ? "" : parent));
      StatusRuntimeException failure = nextFailure(method);
      if (failure == null && !method.equals("ExchangeKey") && !tokens.accepts(authorization)) {
        failure =
            authorization == null
                ? refusal(Status.Code.UNAUTHENTICATED, "TOKEN_MISSING", "send a token")
                : refusal(Status.Code.UNAUTHENTICATED, "TOKEN_EXPIRED", "the token has expired");
      }
      if (failure != null) {
        Metadata trailers = failure.getTrailers();
        call.close(failure.getStatus(), trailers == null ? new Metadata() : trailers);
        return new ServerCall.Listener<>() {};
      }
      return Contexts.interceptCall(Context.current(), call, headers, next);
    }

    private @Nullable StatusRuntimeException nextFailure(String method) {
      Deque<StatusRuntimeException> queue = failures.get(method);
      return queue == null ? null : queue.poll();
    }
  }
}
