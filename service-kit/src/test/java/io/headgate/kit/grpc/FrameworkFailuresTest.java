package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.CallOptions;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.proto.test.v1.ShelfServiceGrpc;
import io.headgate.kit.testing.ApiServerExtension;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

/// The statuses that the server library itself gives to failed calls.
class FrameworkFailuresTest {
  @RegisterExtension
  static final ApiServerExtension SERVER = new ApiServerExtension(api -> api.service(new Shelf()));

  private final ServiceRequestContext call =
      ServiceRequestContext.of(HttpRequest.of(HttpMethod.POST, "/service/Method"));

  @Test
  void aRefusalThatIsToldTwiceIsNoFailure() {
    Status refused = Status.UNAUTHENTICATED.withDescription("log in again");
    Metadata metadata = new Metadata();
    assertThat(told(refused, refused.asRuntimeException(), metadata)).isSameAs(refused);
    assertThat(metadata.keys()).isEmpty();
  }

  @Test
  void whatNobodyRefusedIsAFailureWithoutItsText() {
    Status failed = Status.UNKNOWN;
    Status told = told(failed, new IllegalStateException("hunter2"), new Metadata());
    assertThat(told.getCode()).isEqualTo(Status.Code.INTERNAL);
    assertThat(told.getDescription()).doesNotContain("hunter2");
  }

  /// Each such call once cost the log a stack trace, without any token.
  @Test
  void anUnreadableRequestIsTheCallersMistakeAndCostsTheLogNothing() {
    MethodDescriptor<byte[], byte[]> greet =
        MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(ShelfServiceGrpc.getGreetMethod().getFullMethodName())
            .setRequestMarshaller(new Bytes())
            .setResponseMarshaller(new Bytes())
            .build();
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(GrpcFailures.class);
    log.start();
    logger.addAppender(log);
    try {
      Throwable refused =
          catchThrowable(() ->
              ClientCalls.blockingUnaryCall(
                  SERVER.anonymous(), greet, CallOptions.DEFAULT, new byte[] {(byte) 0xff, 1, 2}));
      assertThat(Status.fromThrowable(refused).getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
      assertThat(GrpcFailures.refusal(refused).orElseThrow().reason())
          .isEqualTo("MALFORMED_REQUEST");
      assertThat(log.list).isEmpty();
    } finally {
      logger.detachAppender(log);
    }
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private Status told(Status status, Throwable cause, Metadata metadata) {
    return new FrameworkFailures(new KnownFields(java.util.List.of()))
        .apply(call, status, cause, metadata);
  }
}
