package io.headgate.kit.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Which failures say only that the database cannot be reached.
final class DatabaseUnreachableTest {
  private static RuntimeException failure(String state) {
    return new IllegalStateException("a read failed", new SQLException("refused", state));
  }

  @ParameterizedTest
  @ValueSource(strings = {"57P01", "57P02", "57P03", "08006", "53300"})
  void aServerThatWentAwayCannotBeReached(String state) {
    assertThat(GrpcFailures.isDatabaseUnreachable(failure(state))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"40001", "42601", "23505"})
  void aStatementThatFailedReachedTheDatabase(String state) {
    assertThat(GrpcFailures.isDatabaseUnreachable(failure(state))).isFalse();
  }

  @Test
  void aFailureWithoutADatabaseIsNone() {
    assertThat(GrpcFailures.isDatabaseUnreachable(new IllegalStateException("no"))).isFalse();
  }
}
