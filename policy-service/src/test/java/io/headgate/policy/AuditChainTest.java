package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.grpc.Channel;
import io.headgate.kit.audit.AuditAnchors;
import io.headgate.kit.audit.AuditChain;
import io.headgate.kit.db.Database;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.AuditServiceGrpc;
import io.headgate.proto.policy.v1.VerifyAuditLogRequest;
import io.headgate.proto.policy.v1.VerifyAuditLogResponse;
import io.headgate.proto.type.v1.AuditAnchor;
import io.headgate.proto.type.v1.AuditFault;
import io.headgate.proto.type.v1.AuditFault.Kind;
import io.opentelemetry.api.OpenTelemetry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/// Full rights in the database do not suffice to change the audit log unseen.
class AuditChainTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  private Acme acme;

  @BeforeEach
  void found() {
    acme = Acme.found(POLICY);
    for (String group : List.of("one", "two", "three", "four")) {
      acme.group(group);
    }
  }

  private VerifyAuditLogResponse verify(AuditAnchor... anchors) {
    return verify(acme.admin(), acme.parent(), anchors);
  }

  private static VerifyAuditLogResponse verify(
      Channel caller, String parent, AuditAnchor... anchors) {
    return AuditServiceGrpc.newBlockingStub(caller)
        .verifyAuditLog(
            VerifyAuditLogRequest.newBuilder()
                .setParent(parent)
                .addAllAnchors(List.of(anchors))
                .build());
  }

  /// The owner of the tables may turn off the triggers.
  private void tamper(String... statements) {
    List<String> all = new ArrayList<>();
    all.add("alter table audit_log disable trigger user");
    all.add("alter table audit_chain disable trigger user");
    all.addAll(List.of(statements));
    all.add("alter table audit_chain enable trigger user");
    all.add("alter table audit_log enable trigger user");
    POSTGRES
        .database()
        .jooq()
        .transaction(
            inside -> all.forEach(sql -> inside.dsl().execute(sql.replace("$T", acme.id()))));
  }

  private long auditId(long sequence) {
    return POSTGRES
        .database()
        .jooq()
        .fetchSingle(
            "select audit_id from audit_chain where chain = ? and sequence = ?",
            acme.id(),
            sequence)
        .get(0, Long.class);
  }

  private static AuditFault fault(Kind kind, long sequence, long auditId) {
    return AuditFault.newBuilder().setKind(kind).setSequence(sequence).setAuditId(auditId).build();
  }

  @Test
  void anUntouchedLogAgreesWithItsChain() {
    VerifyAuditLogResponse found = verify();
    assertThat(found.hasFault()).isFalse();
    assertThat(found.getComplete()).isTrue();
    assertThat(found.getChecked()).isEqualTo(found.getReached().getSequence()).isGreaterThan(4);
    assertThat(verify(found.getReached()).hasFault()).isFalse();
    assertThat(verify(POLICY.operator(), "").hasFault()).as("entries without a tenant").isFalse();
  }

  @Test
  void aDeletedEntryIsNamed() {
    long third = auditId(3);
    tamper("delete from audit_log where audit_id = " + third);
    VerifyAuditLogResponse found = verify();
    assertThat(found.getFault()).isEqualTo(fault(Kind.KIND_MISSING, 3, third));
    assertThat(found.getChecked()).isEqualTo(2);
  }

  @Test
  void anEntryThatIsDeletedWithItsRowOfTheChainIsNamed() {
    long third = auditId(3);
    tamper(
        "delete from audit_log where audit_id = " + third,
        "delete from audit_chain where audit_id = " + third);
    assertThat(verify().getFault()).isEqualTo(fault(Kind.KIND_MISSING, 3, 0));
    tamper("update audit_chain set sequence = sequence - 1 where chain = '$T' and sequence > 3");
    assertThat(verify().getFault()).isEqualTo(fault(Kind.KIND_CHANGED, 3, auditId(3)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "actor = 'tenants/acme/users/nobody'",
        "address = '192.0.2.1'",
        "action = action || '!'",
        "target = ''",
        "reason = 'because'",
        "outcome = 'REFUSED'",
        "request_id = 'x'",
        "at = at + interval '1 microsecond'",
        "fields = '{a,b}'",
        "before = '{}'",
        "after = array_append(after, '')"
      })
  void aChangedEntryIsNamed(String change) {
    long fourth = auditId(4);
    tamper("update audit_log set " + change + " where audit_id = " + fourth);
    assertThat(verify().getFault()).isEqualTo(fault(Kind.KIND_CHANGED, 4, fourth));
  }

  @Test
  void anEntryThatWasGivenToAnotherTenantIsNamed() {
    long third = auditId(3);
    tamper("update audit_log set tenant_id = 'other' where audit_id = " + third);
    assertThat(verify().getFault()).isEqualTo(fault(Kind.KIND_MISSING, 3, third));
  }

  @Test
  void entriesThatChangedPlacesAreNamed() {
    long second = auditId(2);
    long fourth = auditId(4);
    tamper(
        "update audit_log set actor = (select actor from audit_log where audit_id = "
            + fourth
            + "), action = (select action from audit_log where audit_id = "
            + fourth
            + "), target = (select target from audit_log where audit_id = "
            + fourth
            + ") where audit_id = "
            + second);
    assertThat(verify().getFault()).isEqualTo(fault(Kind.KIND_CHANGED, 2, second));
    tamper(
        "update audit_chain set audit_id = -1 where chain = '$T' and sequence = 5",
        "update audit_chain set sequence = -1 where chain = '$T' and sequence = 4",
        "update audit_chain set sequence = 4 where chain = '$T' and sequence = 5",
        "update audit_chain set sequence = 5 where chain = '$T' and sequence = -1");
    assertThat(verify().getFault().getSequence()).as("the first").isEqualTo(2);
  }

  @Test
  void aMissingEndIsFoundWithAnAnchor() {
    AuditAnchor head = verify().getReached();
    long cut = head.getSequence() - 1;
    tamper(
        "delete from audit_log where audit_id in"
            + " (select audit_id from audit_chain where chain = '$T' and sequence >= "
            + cut
            + ")",
        "delete from audit_chain where chain = '$T' and sequence >= " + cut);
    assertThat(verify().hasFault()).as("without an anchor nothing shows").isFalse();
    assertThat(verify(head).getFault()).isEqualTo(fault(Kind.KIND_CUT_OFF, cut, 0));
  }

  @Test
  void aChainThatWasComputedAnewDiffersFromAnAnchor() {
    AuditAnchor head = verify().getReached();
    long last = auditId(head.getSequence());
    tamper(
        "delete from audit_chain where audit_id = " + last,
        "update audit_log set actor = 'operators/nobody' where audit_id = " + last,
        // The owner may let the trigger chain the changed entry again.
        "create temporary table again as select * from audit_log where audit_id = " + last,
        "delete from audit_log where audit_id = " + last,
        "alter table audit_log enable trigger audit_log_is_chained",
        "insert into audit_log overriding system value select * from again",
        "set constraints all immediate",
        "drop table again");
    assertThat(verify().hasFault()).as("the new chain agrees with itself").isFalse();
    assertThat(verify(head).getFault())
        .isEqualTo(fault(Kind.KIND_CHANGED, head.getSequence(), last));
  }

  @Test
  void anEntryThatWasAddedPastTheChainIsNamed() {
    tamper(
        "insert into audit_log (at, tenant_id, actor, address, request_id, action, target, outcome,"
            + " reason, fields, before, after) values (now(), '$T', 'operators/root', '', '', 'x',"
            + " '', 'DONE', '', '{}', '{}', '{}')");
    VerifyAuditLogResponse found = verify();
    assertThat(found.getFault().getKind()).isEqualTo(Kind.KIND_ADDED);
    assertThat(found.getFault().getAuditId()).isPositive();
  }

  @Test
  void twoAnchorsOfOnePlaceCannotBothBeRight() {
    AuditAnchor head = verify().getReached();
    AuditAnchor wrong = head.toBuilder().setHash("0".repeat(64)).build();
    for (List<AuditAnchor> anchors : List.of(List.of(head, wrong), List.of(wrong, head))) {
      assertThat(verify(anchors.toArray(AuditAnchor[]::new)).getFault().getKind())
          .isEqualTo(Kind.KIND_CHANGED);
    }
  }

  @Test
  void theServiceLogsAnErrorWhenAChainNoLongerHasItsAnchor() {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger = (Logger) LoggerFactory.getLogger(AuditAnchors.class);
    logger.addAppender(log);
    AuditAnchor head = verify().getReached();
    try (AuditAnchors anchors =
        new AuditAnchors(
            "test",
            new AuditChain(POSTGRES.database(), PolicyService.AUDITED),
            OpenTelemetry.noop().getMeter("test"))) {
      anchors.start();
      String anchor =
          "audit anchor of "
              + acme.parent()
              + ": test:"
              + head.getSequence()
              + ":"
              + head.getHash();
      await().until(() -> log.list.stream().anyMatch(e -> e.getFormattedMessage().equals(anchor)));
      tamper(
          "delete from audit_log where audit_id = " + auditId(head.getSequence()),
          "delete from audit_chain where chain = '$T' and sequence = " + head.getSequence());
      // The newest entry takes the place of the deleted one.
      acme.group("five");
    } finally {
      logger.detachAppender(log);
    }
    assertThat(log.list)
        .filteredOn(event -> event.getLevel() == Level.ERROR)
        .extracting(ILoggingEvent::getFormattedMessage)
        .singleElement()
        .asString()
        .startsWith("the audit log of " + acme.parent() + " no longer has the entry of the anchor")
        .contains("test:" + head.getSequence() + ":" + head.getHash());
  }

  @Test
  void entriesFromBeforeTheChainAreCountedAndProveNothing() {
    VerifyAuditLogResponse all = verify();
    long last = auditId(all.getReached().getSequence());
    POSTGRES
        .database()
        .jooq()
        .transaction(inside -> {
          inside.dsl().execute("alter table audit_chain disable trigger user");
          inside.dsl().execute("delete from audit_chain where chain = ?", acme.id());
          inside.dsl().execute("update audit_chain_start set audit_id = ?", last);
          inside.dsl().execute("alter table audit_chain enable trigger user");
        });
    VerifyAuditLogResponse found = verify();
    assertThat(found.getUnchained()).isEqualTo(all.getChecked());
    assertThat(found.hasFault()).isFalse();
    POSTGRES.database().jooq().execute("update audit_chain_start set audit_id = 0");
  }

  @Test
  void writersAtOnceMakeOneChain() throws Exception {
    long before = verify().getChecked();
    Acme other = Acme.found(POLICY);
    try (ExecutorService pool = Executors.newFixedThreadPool(8)) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        int number = i;
        all.add(pool.submit(() -> (number % 2 == 0 ? acme : other).group("g" + number)));
      }
      for (Future<?> each : all) {
        each.get();
      }
    }
    VerifyAuditLogResponse found = verify();
    assertThat(found.hasFault()).isFalse();
    assertThat(found.getChecked()).isEqualTo(before + 20);
  }

  @Test
  void theServicesOwnRoleCannotWriteTheChain() {
    try (Database service = Database.open(POSTGRES.config())) {
      for (String attempt :
          List.of(
              "insert into audit_chain values ('x', 1, 1, '')",
              "update audit_chain set hash = ''",
              "delete from audit_chain",
              "update audit_chain_start set audit_id = 1000000",
              "set constraints audit_log_is_chained immediate; truncate audit_chain")) {
        assertThatThrownBy(() -> service.jooq().execute(attempt))
            .hasMessageContaining("permission denied");
      }
    }
  }

  @Test
  void anAdminChecksItsOwnTenantOnly() {
    Acme other = Acme.found(POLICY);
    assertThat(PolicyFixture.refusal(() -> verify(other.admin(), acme.parent())).reason())
        .isEqualTo("TENANT_NOT_FOUND");
    assertThat(PolicyFixture.refusal(() -> verify(acme.admin(), "")).reason())
        .isEqualTo("ACCESS_DENIED");
    assertThat(AuditChain.OF_NO_TENANT).isEmpty();
  }
}
