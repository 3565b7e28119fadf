package io.headgate.scheduler.grpc;

import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.headgate.proto.agent.v1.AgentServiceGrpc;
import io.headgate.proto.scheduler.v1.BatchSubmitJobsRequest;
import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.RequeueJobRequest;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.proto.scheduler.v1.UsageServiceGrpc;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Passes calls on to the leader while this replica follows, with the caller's own token. So a
/// caller, JSON clients included, may use any scheduler and need not know the leader. Both replicas
/// check the caller's rights.
///
/// - This replica answers reads of events and of the leadership from the database.
/// - The leader answers reads of jobs, because only it knows why a job waits. This replica answers
///   them while it cannot reach the leader.
/// - The leader answers all other calls. Agents are told the leader's address instead, so that
///   their streams load one process only.
///
/// A relayed call ends when its leader stops leading, even when that leader hangs. If the request
/// was never sent, the error is `NO_LEADER`. Otherwise it is `LEADER_CHANGED` where a repeat is
/// safe, and `OUTCOME_UNKNOWN` where it is not.
///
/// A call is passed on once: a replica that receives a relayed call and does not lead refuses it. A
/// replica that is elected and still loads holds unary calls ([HeldCalls]), relayed ones too.
public final class LeaderRelay implements ServerInterceptor, AutoCloseable {
  static final Metadata.Key<String> PASSED_ON =
      Metadata.Key.of("x-headgate-passed-on", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private static final Set<String> ANSWERED_HERE =
      Set.of(
          AgentServiceGrpc.getConnectMethod().getFullMethodName(),
          JobServiceGrpc.getListEventsMethod().getFullMethodName(),
          UsageServiceGrpc.getGetLeadershipMethod().getFullMethodName());

  private static final Set<String> READ_HERE_AT_NEED =
      Set.of(
          JobServiceGrpc.getGetJobMethod().getFullMethodName(),
          JobServiceGrpc.getListJobsMethod().getFullMethodName());

  private final LeaderDoor door;
  private final Function<String, ManagedChannel> channels;
  private final Set<String> services;
  private final HeldCalls held;
  private volatile @Nullable Link link;

  /// A way to the leader.
  ///
  /// @param address `host:port`
  record Link(String address, ManagedChannel channel) {}

  /// @param channels opens a channel to `host:port` that makes each call once, without a token of
  ///   its own
  /// @param own the scheduler's services; others on the same server are left alone
  public LeaderRelay(
      LeaderDoor door,
      Function<String, ManagedChannel> channels,
      Collection<? extends BindableService> own) {
    this.door = door;
    this.channels = channels;
    this.held = new HeldCalls(door.takeoverWaiters());
    this.services =
        own.stream()
            .map(service -> service.bindService().getServiceDescriptor().getName())
            .collect(Collectors.toUnmodifiableSet());
    door.onLook(this::follow);
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    String method = call.getMethodDescriptor().getFullMethodName();
    if (!services.contains(String.valueOf(call.getMethodDescriptor().getServiceName()))
        || ANSWERED_HERE.contains(method)
        || door.isLeading()) {
      return next.startCall(call, headers);
    }
    boolean isReadHere = READ_HERE_AT_NEED.contains(method);
    if (!isReadHere && held.areDue(call)) {
      return held.hold(call, headers, next);
    }
    if (headers.containsKey(PASSED_ON)) {
      return next.startCall(call, headers);
    }
    Optional<Link> leader = linked();
    if (leader.isEmpty()) {
      return next.startCall(call, headers);
    }
    Optional<ServerCallHandler<Q, R>> here = isReadHere ? Optional.of(next) : Optional.empty();
    return new RelayedCall<>(call, headers, leader.get(), here, LeaderRelay::isRepeatable).begin();
  }

  /// The headers that are passed on to the leader.
  static Metadata headers(Metadata received) {
    Metadata sent = new Metadata();
    @Nullable String token = received.get(AUTHORIZATION);
    if (token != null) {
      sent.put(AUTHORIZATION, token);
    }
    sent.put(PASSED_ON, "1");
    return sent;
  }

  /// Whether a repeated request cannot take effect twice. A requeue can: the job may have started
  /// again before the repeat arrives, and would then be stopped a second time.
  private static boolean isRepeatable(Object request) {
    return switch (request) {
      case SubmitJobRequest submit -> !submit.getRequestId().isEmpty();
      case BatchSubmitJobsRequest submit -> !submit.getRequestId().isEmpty();
      case RequeueJobRequest _ -> false;
      default -> true;
    };
  }

  private Optional<Link> linked() {
    @Nullable Link known = link;
    return known != null && door.leaderAddress().filter(known.address()::equals).isPresent()
        ? Optional.of(known)
        : linkedAnew();
  }

  private synchronized Optional<Link> linkedAnew() {
    follow();
    if (link == null) {
      // The address is read under the lock: a link to an earlier leader would never be closed.
      link =
          door.leaderAddress()
              .map(address -> new Link(address, channels.apply(address)))
              .orElse(null);
    }
    return Optional.ofNullable(link);
  }

  /// Closes the link to a former leader and fails every call on it at once. A leader that hangs
  /// would keep its callers until their deadlines. A live one has answered before it released the
  /// leadership, or learns itself that it was deposed.
  private synchronized void follow() {
    @Nullable Link known = link;
    if (known != null && door.leaderAddress().filter(known.address()::equals).isEmpty()) {
      link = null;
      known.channel().shutdownNow();
    }
  }

  @Override
  public synchronized void close() {
    if (link != null) {
      link.channel().shutdownNow();
    }
  }
}
