package io.headgate.deploy.sources;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// The files that reach rows of all tenants, past row-level security. Each is a decision: a new one
/// belongs into this list and into the table of decision 0055.
class TenantReachTest {
  private static final List<String> EXPECTED =
      List.of(
          "kit/audit/AuditChain",
          "kit/auth/Principals",
          "kit/db/Database",
          "kit/db/KeyRotation",
          "kit/db/OpenColumns",
          "kit/db/Reach",
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
          "pool/store/PostgresTransaction",
          "scheduler/SchedulerService",
          "scheduler/store/PostgresSchedulerStore",
          "scheduler/store/PostgresUsage");

  private static final Pattern REACHES =
      Pattern.compile("crossTenants\\(|EVERY_TENANT|new Reach\\(");

  @Test
  void onlyListedFilesReachAcrossTenants() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path source : Sources.all()) {
      String path = source.toString();
      if (path.contains("/src/main/") && REACHES.matcher(Files.readString(source)).find()) {
        found.add(path.replaceFirst(".*/io/headgate/", "").replaceFirst("\\.java$", ""));
      }
    }
    assertThat(found).containsExactlyInAnyOrderElementsOf(EXPECTED);
  }
}
