package io.headgate.scheduler.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.headgate.kit.failure.RefusalException;
import io.headgate.kit.grpc.PageTokens;
import io.headgate.proto.scheduler.v1.ListUsageIntervalsRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

class UsageIntervalsTokenTest {
  private final PageTokens tokens = new PageTokens(new byte[PageTokens.KEY_LENGTH]);

  @Test
  void aTokenFromBeforePositionsHadANodeIsRefused() {
    ListUsageIntervalsRequest request =
        ListUsageIntervalsRequest.newBuilder().setParent("tenants/acme").build();
    String old =
        tokens.issue(
            List.of("ListUsageIntervals", request.toString()), "1795000000000 1794990000000 7 1 1");

    assertThatExceptionOfType(RefusalException.class)
        .isThrownBy(() -> tokens.read(UsageIntervals.query(request), old))
        .satisfies(
            refused -> assertThat(refused.refusal().reason()).isEqualTo("INVALID_PAGE_TOKEN"));
  }
}
