package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.cli.TestCli.Result;
import io.headgate.sdk.gate.TestGate;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A missing tenant is reported, and not shown as an empty one.
class ChosenTenantTest {
  private final TestGate gate = TestGate.open();
  @TempDir Path home;

  @AfterEach
  void close() {
    gate.close();
  }

  @Test
  void anEmptyListSaysThatTheTenantDoesNotExist() {
    for (String list : new String[] {"jobs", "nodes", "pools", "policies", "budgets"}) {
      Result result = TestCli.at(gate, home).run(list, "-t", "nosuchtenant");
      assertThat(result.exitCode()).as(list).isEqualTo(1);
      assertThat(result.err()).contains("there is no tenant \"nosuchtenant\"", "TENANT_NOT_FOUND");
      assertThat(TestCli.at(gate, home).run(list, "-t", "acme").exitCode()).as(list).isZero();
    }
  }

  @Test
  void whatIsNoIdIsRefusedBeforeAnythingIsAsked() {
    for (String id : new String[] {"A B", "NOSUCHTENANT", "", "a/jobs"}) {
      Result result = TestCli.at(gate, home).run("jobs", "-t", id);
      assertThat(result.exitCode()).as(id).isEqualTo(2);
      assertThat(result.err()).contains("\"" + id + "\" is not a tenant id", "--tenant acme");
    }
    assertThat(gate.calls).isEmpty();
  }
}
