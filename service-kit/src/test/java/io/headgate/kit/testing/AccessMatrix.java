package io.headgate.kit.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.ClientCalls;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.proto.type.v1.Access;
import io.headgate.proto.type.v1.AccessOuterClass;
import io.headgate.proto.type.v1.Role;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/// Calls every method of a server anonymously and with each role, and compares the admitted roles
/// with the contract. The tests are generated from the descriptors, so a new method is always
/// covered.
///
/// ```java
/// @TestFactory Stream<DynamicTest> access() { return AccessMatrix.tests(SERVER); }
/// ```
public final class AccessMatrix {
  private static final String TENANT = "matrix";

  private final ApiServerExtension server;
  private final Map<Role, Channel> channels = new EnumMap<>(Role.class);

  private AccessMatrix(ApiServerExtension server) {
    this.server = server;
    TestTokens tokens = server.tokens();
    channels.put(Role.ROLE_PLATFORM_OPERATOR, server.channel(tokens.operator()));
    channels.put(Role.ROLE_TENANT_ADMIN, server.channel(tokens.admin(TENANT)));
    channels.put(Role.ROLE_MEMBER, server.channel(tokens.member(TENANT, "ada")));
    channels.put(Role.ROLE_SERVICE_ACCOUNT, server.channel(tokens.serviceAccount(TENANT, "ci")));
    channels.put(Role.ROLE_NODE, server.channel(tokens.node(TENANT, "gpu-1")));
    channels.put(Role.ROLE_SERVICE, server.channel(tokens.service("scheduler")));
  }

  /// One test per method. Requests are empty, so admitted calls are refused for their content.
  public static Stream<DynamicTest> tests(ApiServerExtension server) {
    AccessMatrix matrix = new AccessMatrix(server);
    List<DynamicTest> tests = new ArrayList<>();
    for (ServerServiceDefinition service : server.server().services()) {
      for (ServerMethodDefinition<?, ?> method : service.getMethods()) {
        MethodDescriptor<?, ?> descriptor = method.getMethodDescriptor();
        tests.add(
            DynamicTest.dynamicTest(
                descriptor.getFullMethodName(), () -> matrix.check(descriptor)));
      }
    }
    return tests.stream();
  }

  private <ReqT, RespT> void check(MethodDescriptor<ReqT, RespT> method) {
    Access access = access(method);
    String nobody = outcome(server.anonymous(), method);
    if (access.getAnonymous()) {
      assertThat(nobody).as("without a token").isNotIn("TOKEN_MISSING", "ROLE_DENIED");
      return;
    }
    assertThat(nobody).as("without a token").isEqualTo("TOKEN_MISSING");
    assertThat(outcome(server.channel("nonsense"), method))
        .as("with nonsense")
        .isEqualTo("TOKEN_INVALID");
    channels.forEach((role, channel) -> {
      boolean allowed = access.getRolesList().contains(role);
      if (!allowed) {
        assertThat(outcome(channel, method)).as(role.name()).isEqualTo("ROLE_DENIED");
      } else {
        assertThat(outcome(channel, method)).as(role.name()).isNotIn("ROLE_DENIED");
      }
    });
  }

  private static Access access(MethodDescriptor<?, ?> method) {
    Object schema = method.getSchemaDescriptor();
    if (!(schema instanceof ProtoMethodDescriptorSupplier supplier)) {
      throw new AssertionError("no descriptor of " + method.getFullMethodName());
    }
    return supplier.getMethodDescriptor().getOptions().getExtension(AccessOuterClass.access);
  }

  /// The reason of the refusal, or OK.
  private <ReqT, RespT> String outcome(Channel channel, MethodDescriptor<ReqT, RespT> method) {
    PrototypeMarshaller<ReqT> marshaller =
        (PrototypeMarshaller<ReqT>) method.getRequestMarshaller();
    ReqT request = marshaller.getMessagePrototype();
    CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS);
    Throwable failure =
        catchThrowable(() -> {
          if (method.getType() == MethodType.UNARY) {
            ClientCalls.blockingUnaryCall(channel, method, options, request);
          } else {
            openStream(channel, method, options, request);
          }
        });
    if (failure == null) {
      return "OK";
    }
    if (failure instanceof StatusRuntimeException status
        && status.getStatus().getCode() == Status.Code.INTERNAL) {
      throw new AssertionError(method.getFullMethodName() + " breaks on an empty request", failure);
    }
    return GrpcFailures.refusal(failure).map(Refusal::reason).orElse(failure.toString());
  }

  private static <ReqT, RespT> void openStream(
      Channel channel, MethodDescriptor<ReqT, RespT> method, CallOptions options, ReqT request)
      throws Exception {
    BlockingClientCall<ReqT, RespT> call =
        method.getType() == MethodType.SERVER_STREAMING
            ? ClientCalls.blockingV2ServerStreamingCall(channel, method, options, request)
            : ClientCalls.blockingBidiStreamingCall(channel, method, options);
    try {
      if (method.getType() != MethodType.SERVER_STREAMING) {
        call.write(request);
        call.halfClose();
      }
      call.read();
    } finally {
      call.cancel("seen enough", null);
    }
  }
}
