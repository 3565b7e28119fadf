package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Metadata;
import io.grpc.Status;
import org.junit.jupiter.api.Test;

/// The statuses that the server library itself gives to failed calls.
class FrameworkFailuresTest {
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

  private Status told(Status status, Throwable cause, Metadata metadata) {
    return new FrameworkFailures().apply(call, status, cause, metadata);
  }
}
