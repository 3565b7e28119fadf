package io.headgate.deploy.sources;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The files that reach rows of all tenants, past row-level security. Each is a decision: a new one
/// belongs into this list and into the table of decision 0055.
class TenantReachTest {
  private static final List<String> EXPECTED =
      List.of(
          "kit/db/Database",
          "policy/PolicyService",
          "policy/runtime/AccessConfigurations",
          "policy/runtime/Changes",
          "policy/runtime/Enrolment",
          "policy/runtime/RefusedCalls",
          "policy/runtime/Tokens",
          "policy/runtime/port/PolicyStore",
          "policy/store/PostgresPolicyStore",
          "pool/runtime/Catalog",
          "pool/runtime/SupplyStore",
          "pool/store/PostgresSupplyStore",
          "scheduler/SchedulerService");

  @Test
  void onlyListedFilesReachAcrossTenants() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path source : Sources.all()) {
      String path = source.toString();
      if (path.contains("/src/main/") && Files.readString(source).contains("crossTenants(")) {
        found.add(path.replaceFirst(".*/io/headgate/", "").replaceFirst("\\.java$", ""));
      }
    }
    assertThat(found).containsExactlyInAnyOrderElementsOf(EXPECTED);
  }
}
