package io.headgate.kit.grpc;

import static com.linecorp.armeria.server.grpc.HttpJsonTranscodingQueryParamMatchRule.LOWER_CAMEL_CASE;
import static com.linecorp.armeria.server.grpc.HttpJsonTranscodingQueryParamMatchRule.ORIGINAL_FIELD;

import com.google.protobuf.Descriptors.Descriptor;
import com.linecorp.armeria.common.grpc.GrpcJsonMarshaller;
import com.linecorp.armeria.common.metric.NoopMeterRegistry;
import com.linecorp.armeria.common.util.BlockingTaskExecutor;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServerErrorHandler;
import com.linecorp.armeria.server.grpc.GrpcService;
import com.linecorp.armeria.server.grpc.GrpcServiceBuilder;
import com.linecorp.armeria.server.grpc.HttpJsonTranscodingOptions;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.headgate.kit.auth.AuthInterceptor;
import io.headgate.kit.auth.DeniedCallListener;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.grpc.ApiServerConfig.Discovery;
import io.headgate.kit.lifecycle.CannotStartException;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The API of one process on one port. It serves gRPC services, their methods as JSON over HTTP
/// where the contract annotates them, and `grpc.health.v1`. To signed-in callers it also serves
/// reflection and documentation pages at `/docs`.
///
/// A call passes in this order:
///
/// 1. before gRPC: the [bound][Builder#bound] on calls of its method ([Admission]), the choice of
///    its thread ([StrangerCalls], [PromptCalls]), the limit on its length ([RequestLimits]), the
///    token of a JSON call ([TokenFirst])
/// 2. trace, request id and error translation, the bound on all calls ([ActiveCalls])
/// 3. access rule, the proof of its [connection][Connections], the bound on a caller's streams
///    ([CallerStreams])
/// 4. size and memory of its messages ([RequestSizes], [RequestMemory]), threads for [large
///    ones][LargeRequests], validation
/// 5. [interceptors][Builder#interceptor] of the service, handler
///
/// Handlers may block: each runs on a virtual thread, at most `maxHandlers` at a time. Methods
/// marked [prompt][Builder#prompt] are the exception.
public final class ApiServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ApiServer.class);

  private static final int REQUEST_SHARE = 16;

  private final ApiServerConfig config;
  private final Server server;
  private final List<ServerServiceDefinition> services;
  private final HealthStatus health;
  private final ActiveCalls calls;
  private final RequestSizes sizes;
  private final Handlers handlers;
  private final Connections connections;
  private final ServerConnections accepted;
  private final LargeRequests large = new LargeRequests();
  private final LongAdder refused = new LongAdder();
  private final AtomicBoolean closed = new AtomicBoolean();

  private ApiServer(Builder builder) {
    this.config = builder.config;
    this.services = builder.services.stream().map(Builder.Traced::definition).toList();
    refuseMethodsWithoutRule(services);
    this.health =
        new HealthStatus(services.stream().map(s -> s.getServiceDescriptor().getName()).toList());
    this.sizes = new RequestSizes(config.maxMessageSize(), services);
    this.calls = new ActiveCalls(config.maxCalls(), config.requestTimeout());
    this.handlers = new Handlers(config.maxHandlers());
    this.connections =
        new Connections(
            config.maxConnections(), config.maxConnectionsPerAddress(), TimeSource.system());
    this.accepted = new ServerConnections(config, connections, builder.verifier, builder.patience);
    ServerMeters meters = new ServerMeters(builder.telemetry.meter("io.headgate.kit.grpc"));
    meters.observe(handlers, calls, refused, connections);
    meters.observe(strangers());
    this.server = build(builder, services);
  }

  /// Builds a server.
  public static Builder builder(ApiServerConfig config, Telemetry telemetry) {
    return new Builder(config, telemetry);
  }

  Connections connections() {
    return connections;
  }

  StrangersLoop strangers() {
    return accepted.strangers();
  }

  /// Starts to accept connections; `health` reports not serving until set otherwise.
  ///
  /// @throws CannotStartException if the address is in use or not local
  public void start() {
    try {
      server.start().join();
    } catch (CompletionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new CannotStartException(
          "cannot listen on %s:%d: %s; choose another api.host or api.port"
              .formatted(config.host(), config.port(), cause.getMessage()),
          cause);
    }
    LOG.info("serving on {}", uri());
  }

  public int port() {
    return server.activeLocalPort();
  }

  /// The server's address for clients on this machine, `http://127.0.0.1:7400`.
  public URI uri() {
    String scheme = config.tls().isPresent() ? "https" : "http";
    String host =
        new InetSocketAddress(config.host(), 0).getAddress().isAnyLocalAddress()
            ? "127.0.0.1"
            : config.host();
    return URI.create(
        scheme + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port());
  }

  public HealthStatus health() {
    return health;
  }

  /// Accepted calls that have not ended, streams included.
  public int callsInProgress() {
    return calls.count();
  }

  /// The services, without health and reflection.
  public List<ServerServiceDefinition> services() {
    return services;
  }

  /// Stops in order: reports not serving, ends streams, waits for unary calls within the bound,
  /// closes connections.
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    health.stop();
    calls.stopStreams();
    server.stop().join();
    handlers.shutdownNow();
    large.close();
    // Armeria stops it only if it was started.
    var _ = strangers().shutdownGracefully();
  }

  /// The parts of a server. Not thread-safe.
  public static final class Builder {
    private final ApiServerConfig config;
    private final Telemetry telemetry;
    private final List<Traced> services = new ArrayList<>();
    private final List<ServerInterceptor> interceptors = new ArrayList<>();
    private final Set<MethodDescriptor<?, ?>> prompt = new HashSet<>();
    private final Map<MethodDescriptor<?, ?>, Integer> bounds = new HashMap<>();
    private OptionalLong requestBytes = OptionalLong.empty();
    private Duration patience = Lobby.PATIENCE;
    private TokenVerifier verifier = TokenVerifier.refusingAll();
    private DeniedCallListener denied = DeniedCallListener.none();
    private Telemetry speaker;

    private Builder(ApiServerConfig config, Telemetry telemetry) {
      this.config = config;
      this.telemetry = telemetry;
      this.speaker = telemetry;
    }

    /// A service whose calls are traced and measured by its own telemetry.
    private record Traced(
        ServerServiceDefinition definition, Telemetry telemetry, DeniedCalls denied) {}

    /// Serves `service`; each of its methods must state an access rule.
    public Builder service(BindableService service) {
      services.add(new Traced(service.bindService(), speaker, DeniedCalls.of(speaker)));
      return this;
    }

    /// Services that are added from now on are parts of the process with this telemetry.
    public Builder part(Telemetry own) {
      speaker = own;
      return this;
    }

    /// Accepts the tokens that `tokens` accepts. Without it only anonymous methods are callable.
    public Builder authentication(TokenVerifier tokens) {
      this.verifier = tokens;
      return this;
    }

    /// Reports calls that are refused for the caller's role to `listener`. At most one per server.
    public Builder onDenied(DeniedCallListener listener) {
      this.denied = listener;
      return this;
    }

    /// Adds `interceptor` innermost, next to the handlers.
    public Builder interceptor(ServerInterceptor interceptor) {
      interceptors.add(interceptor);
      return this;
    }

    /// Keeps calls of `method` with a good token on the event loop that reads their connection, for
    /// very frequent methods. All interceptors and the handler run there and must not block;
    /// blocking work continues [apart][CallThreads#apart].
    public Builder prompt(MethodDescriptor<?, ?> method) {
      prompt.add(method);
      return this;
    }

    /// Refuses calls of `method` beyond `most` in progress with RESOURCE_EXHAUSTED before reading
    /// them, so that the admitted calls are answered in time. One caller may have half of them, one
    /// tenant two thirds.
    public Builder bound(MethodDescriptor<?, ?> method, int most) {
      bounds.put(method, most);
      return this;
    }

    /// Bounds the bytes of large requests in progress. The default is a sixteenth of the heap,
    /// because a parsed request takes several times its size.
    Builder requestBytes(long most) {
      requestBytes = OptionalLong.of(most);
      return this;
    }

    /// Bounds the time that a new connection has for its first call in the [lobby][Lobby].
    Builder patience(Duration most) {
      patience = most;
      return this;
    }

    public ApiServer build() {
      return new ApiServer(this);
    }

    private AuthInterceptor authInterceptor() {
      return new AuthInterceptor(verifier, denied);
    }
  }

  private Server build(Builder builder, List<ServerServiceDefinition> services) {
    ErrorPages errors = new ErrorPages();
    DeniedCalls strangers = DeniedCalls.of(builder.telemetry);
    DeniedPaths denied = denied(builder, strangers);
    List<JsonStreams.Place> streams = new ArrayList<>();
    ServerBuilder server = Server.builder();
    accepted.configure(server);
    server
        .blockingTaskExecutor(BlockingTaskExecutor.of(handlers), false)
        .errorHandler(errors.orElse(ServerErrorHandler.ofDefault()))
        .meterRegistry(NoopMeterRegistry.get())
        .disableServerHeader()
        .service(
            grpc(builder, services, errors, strangers, streams),
            delegate ->
                TokenFirst.beforeMethods(
                    delegate,
                    builder.verifier,
                    services,
                    config.discovery() == Discovery.OPEN,
                    denied),
            delegate -> new RequestLimits(delegate, sizes),
            delegate -> new PromptCalls(delegate, builder.prompt, builder.verifier),
            delegate -> new StrangerCalls(delegate, services, builder.verifier),
            delegate -> new Admission(delegate, builder.bounds, builder.verifier, refused));
    streams.forEach(stream ->
        server.service(
            stream.route(), TokenFirst.beforePages(stream.service(), builder.verifier, denied)));
    FrontPages.serve(
        server,
        config.discovery(),
        services,
        page -> TokenFirst.beforePages(page, builder.verifier, denied));
    return server.build();
  }

  private long requestBytes() {
    return Math.max(Runtime.getRuntime().maxMemory() / REQUEST_SHARE, sizes.largest());
  }

  private GrpcService grpc(
      Builder builder,
      List<ServerServiceDefinition> services,
      ErrorPages errors,
      DeniedCalls strangers,
      List<JsonStreams.Place> streams) {
    List<ServerInterceptor> chain = new ArrayList<>();
    chain.add(calls);
    chain.add(StrangerCalls.refusals());
    chain.add(builder.authInterceptor());
    chain.add(new ProvenCalls());
    chain.add(new CallerStreams(config.maxCalls()));
    chain.add(sizes);
    chain.add(new RequestMemory(builder.requestBytes.orElseGet(this::requestBytes)));
    chain.add(large);
    chain.add(new ValidationInterceptor(requests(services)));
    chain.addAll(builder.interceptors);
    GrpcServiceBuilder grpc =
        GrpcService.builder()
            .useBlockingTaskExecutor(true)
            .maxRequestMessageLength(sizes.largest())
            .exceptionHandler(new FrameworkFailures(new KnownFields(requests(services))))
            .jsonMarshallerFactory(ApiServer::json)
            .enableHttpJsonTranscoding(
                HttpJsonTranscodingOptions.builder()
                    // Query parameters use the JSON names or the names of the contract.
                    .queryParamMatchRules(LOWER_CAMEL_CASE, ORIGINAL_FIELD)
                    // Streams are served apart.
                    .ignoreProtoHttpRule(true)
                    .additionalHttpRules(
                        services.stream()
                            .flatMap(service -> JsonStreams.unaryRules(service).stream())
                            .toList())
                    .errorHandler(errors)
                    .build())
            .addService(
                ServerInterceptors.interceptForward(
                    health.service().bindService(), new FailureInterceptor(strangers)));
    for (Builder.Traced service : builder.services) {
      List<ServerInterceptor> traced = new ArrayList<>(chain);
      traced.addFirst(new FailureInterceptor(service.denied()));
      traced.addFirst(service.telemetry().serverInterceptor());
      var guarded = ServerInterceptors.interceptForward(service.definition(), traced);
      grpc.addService(guarded);
      streams.addAll(JsonStreams.of(guarded));
    }
    if (config.discovery() != Discovery.OFF) {
      grpc.addService(ProtoReflectionServiceV1.newInstance());
    }
    return grpc.build();
  }

  /// The services count what they refuse, each by its own telemetry; the server counts the rest.
  private static DeniedPaths denied(Builder builder, DeniedCalls strangers) {
    DeniedPaths paths = new DeniedPaths(strangers);
    for (Builder.Traced service : builder.services) {
      service.denied().expect(service.definition());
      paths.add(service.definition(), service.denied());
    }
    return paths;
  }

  /// A field that the contract lacks is refused, as by every JSON reader of protobuf.
  private static GrpcJsonMarshaller json(ServiceDescriptor service) {
    return GrpcJsonMarshaller.builder()
        .jsonMarshallerCustomizer(json -> json.ignoringUnknownFields(false))
        .build(service);
  }

  private static void refuseMethodsWithoutRule(List<ServerServiceDefinition> services) {
    List<String> missing = AuthInterceptor.methodsWithoutRule(services);
    if (!missing.isEmpty()) {
      throw new IllegalStateException(
          "these methods do not state who may call them (headgate.type.v1.access): " + missing);
    }
  }

  private static List<Descriptor> requests(List<ServerServiceDefinition> services) {
    return services.stream()
        .flatMap(service -> service.getMethods().stream())
        .map(method -> method.getMethodDescriptor().getSchemaDescriptor())
        .filter(ProtoMethodDescriptorSupplier.class::isInstance)
        .map(ProtoMethodDescriptorSupplier.class::cast)
        .map(schema -> schema.getMethodDescriptor().getInputType())
        .distinct()
        .toList();
  }
}
