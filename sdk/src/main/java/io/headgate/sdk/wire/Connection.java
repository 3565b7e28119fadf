package io.headgate.sdk.wire;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.ClientCalls;
import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.StatusCode;
import io.headgate.sdk.wire.SubmitSpans.SubmitSpan;
import io.headgate.sdk.wire.TraceContext.Parent;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One connection to a server: authenticated, traced, with deadlines and retries. Safe for use by
/// many threads.
public final class Connection implements AutoCloseable {
  private final ClientConfig config;
  private final Transport transport;
  private final Channel channel;
  private final TokenSource tokens;
  private final TraceContext traces = new TraceContext();
  private final SubmitSpans submissions;
  private final FailureMessages failures;
  private final ConnectionListener listener;

  private Connection(
      ClientConfig config, ConnectionListener listener, Map<String, String> variables) {
    this.config = config;
    this.listener = listener;
    this.transport = Transport.open(config);
    this.channel = ClientInterceptors.intercept(transport.channel(), new CallHeaders());
    this.failures = new FailureMessages(config.server());
    this.tokens = new TokenSource(config.credentials(), this);
    this.submissions = new SubmitSpans(traces, variables);
  }

  /// Prepares a connection; the first call connects.
  public static Connection open(ClientConfig config, ConnectionListener listener) {
    return open(config, listener, Map.of());
  }

  /// As the other.
  ///
  /// @param variables OpenTelemetry's, which name a receiver of spans, and `TRACEPARENT`
  public static Connection open(
      ClientConfig config, ConnectionListener listener, Map<String, String> variables) {
    return new Connection(config, listener, variables);
  }

  public ClientConfig config() {
    return config;
  }

  /// The subject of the current token; empty when it cannot be read.
  public Optional<String> subject() {
    return TokenSource.subject(tokens.current());
  }

  /// Calls, and retries as long as that can help.
  ///
  /// @throws HeadgateException when all tries failed
  public <Q, R> R call(MethodDescriptor<Q, R> method, Q request, Idempotency idempotency) {
    return call(method, request, idempotency, traces::next, true);
  }

  /// As the other call, and continues the trace of a submission.
  <Q, R> R call(
      MethodDescriptor<Q, R> method, Q request, Idempotency idempotency, SubmitSpan submission) {
    return call(method, request, idempotency, submission::parent, true);
  }

  /// Begins the span of a submission.
  SubmitSpan submitting(String tenant, String queue, int jobs) {
    return submissions.begin(tenant, queue, jobs);
  }

  /// Calls without a token, for methods that need none.
  <Q, R> R callAnonymously(MethodDescriptor<Q, R> method, Q request) {
    return call(method, request, Idempotency.IDEMPOTENT, traces::next, false);
  }

  private <Q, R> R call(
      MethodDescriptor<Q, R> method,
      Q request,
      Idempotency idempotency,
      Supplier<Parent> trace,
      boolean authenticated) {
    long begin = System.nanoTime();
    RetryPolicy patience = RetryPolicy.withCalls(config);
    boolean renewed = false;
    @Nullable HeadgateException before = null;
    while (true) {
      Duration elapsed = Duration.ofNanos(System.nanoTime() - begin);
      Parent parent = trace.get();
      try {
        CallOptions options =
            options(parent, authenticated)
                .withDeadlineAfter(
                    Math.max(1, config.deadline().minus(elapsed).toNanos()), TimeUnit.NANOSECONDS);
        R answer = ClientCalls.blockingUnaryCall(channel, method, options, request);
        listener.called(method.getFullMethodName(), "OK", System.nanoTime() - begin);
        return answer;
      } catch (StatusRuntimeException e) {
        HeadgateException failure = failures.from(e, parent.traceId());
        listener.called(
            method.getFullMethodName(), failure.code().name(), System.nanoTime() - begin);
        if (authenticated && !renewed && isTokenRefused(failure)) {
          renewed = true;
          continue;
        }
        Optional<Duration> pause =
            patience.pauseAfter(failure, idempotency, Duration.ofNanos(System.nanoTime() - begin));
        if (pause.isEmpty()) {
          throw failures.after(failure, before);
        }
        listener.retrying(failure);
        before = failure;
        pause(pause.get());
      }
    }
  }

  /// Opens a stream of answers, without deadline and without retries: only the reader knows where
  /// to resume.
  <Q, R> ServerStream<R> stream(MethodDescriptor<Q, R> method, Q request) {
    Parent parent = traces.nextStream();
    BlockingClientCall<Q, R> call =
        ClientCalls.blockingV2ServerStreamingCall(channel, method, options(parent, true), request);
    return new ServerStream<>(call, failures, parent.traceId());
  }

  /// The trace of calls that have no trace of their own.
  public String traceId() {
    return traces.next().traceId();
  }

  /// Informs the listener, and sleeps until the next try.
  void pauseBeforeRetry(HeadgateException failure, Duration pause) {
    listener.retrying(failure);
    pause(pause);
  }

  /// A stream that ended without a message that it is complete.
  HeadgateException cutOff(String how) {
    return failures.cutOff(how, traces.next().traceId());
  }

  /// Whether the failed call deserves one try with a fresh token; if so, drops the old one.
  boolean isTokenRefused(HeadgateException failure) {
    return failure.code() == StatusCode.UNAUTHENTICATED && tokens.forget();
  }

  private void pause(Duration duration) {
    try {
      Thread.sleep(duration);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failures.interrupted(traces.next().traceId());
    }
  }

  private CallOptions options(Parent parent, boolean authenticated) {
    CallOptions options = CallOptions.DEFAULT.withOption(CallHeaders.TRACE_PARENT, parent.header());
    String token = authenticated ? tokens.current() : "";
    return token.isEmpty() ? options : options.withOption(CallHeaders.TOKEN, token);
  }

  @Override
  public void close() {
    submissions.close();
    transport.close();
  }
}
