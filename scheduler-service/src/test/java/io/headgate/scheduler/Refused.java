package io.headgate.scheduler;

import static org.assertj.core.api.Assertions.catchThrowable;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/// A refusal as a caller got it.
record Refused(Refusal refusal, Status.Code code) {
  static Refused by(ThrowingCallable call) {
    Throwable thrown = catchThrowable(call);
    Assertions.assertThat(thrown).isInstanceOf(StatusRuntimeException.class);
    Refusal refusal =
        GrpcFailures.refusal(thrown)
            .orElseThrow(() -> new AssertionError("no details: " + thrown, thrown));
    return new Refused(refusal, ((StatusRuntimeException) thrown).getStatus().getCode());
  }

  Refused hasReason(Status.Code expected, String reason) {
    Assertions.assertThat(refusal.reason()).as(refusal.message()).isEqualTo(reason);
    Assertions.assertThat(code).isEqualTo(expected);
    return this;
  }

  Refused names(String field, String... parts) {
    Assertions.assertThat(refusal.violations())
        .as(refusal.toString())
        .anySatisfy(violation -> {
          Assertions.assertThat(violation.field()).isEqualTo(field);
          Assertions.assertThat(violation.description()).isNotBlank();
          List.of(parts)
              .forEach(part -> Assertions.assertThat(violation.description()).contains(part));
        });
    return this;
  }

  Refused says(String key, String value) {
    Assertions.assertThat(refusal.metadata()).containsEntry(key, value);
    return this;
  }
}
