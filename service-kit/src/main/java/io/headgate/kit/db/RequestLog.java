package io.headgate.kit.db;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;

import io.headgate.kit.failure.Refusal;
import io.headgate.kit.seal.Seal;
import io.headgate.kit.seal.SealedPlace;
import io.headgate.kit.time.TimeSource;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.function.Supplier;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Record2;
import org.jooq.Table;

/// Answers a repeated request with its first answer, for at least {@link #KEPT} (idempotency). The
/// answer is stored in the transaction of the change that it reports, so that neither exists
/// without the other. The second of two concurrent requests with one id waits for the first. A
/// refused request is not stored and may be sent again.
///
/// The schema of the service has the table:
///
/// ```sql
/// create table request_log (
///   caller         text not null,
///   method         text not null,
///   request_id     text not null,
///   request_sha256 text not null,
///   answer         bytea,
///   created_at     timestamptz not null,
///   primary key (caller, method, request_id)
/// );
/// create index request_log_by_age on request_log (created_at);
/// ```
///
/// Answers are sealed. Even so, a method that answers with a credential must not use the log.
/// Thread-safe.
public final class RequestLog {
  /// How long an answer is stored.
  public static final Duration KEPT = Duration.ofHours(24);

  /// Old rows that each new request deletes, so that the table holds about one day of requests.
  private static final int FORGOTTEN_AT_ONCE = 10;

  private static final Table<Record> LOG = table(name("request_log"));
  private static final Field<String> CALLER = field(name("caller"), String.class);
  private static final Field<String> METHOD = field(name("method"), String.class);
  private static final Field<String> REQUEST_ID = field(name("request_id"), String.class);
  private static final Field<String> HASH = field(name("request_sha256"), String.class);
  private static final Field<byte[]> ANSWER = field(name("answer"), byte[].class);
  private static final Field<OffsetDateTime> CREATED_AT =
      field(name("created_at"), OffsetDateTime.class);

  private final TimeSource time;
  private final Seal seal;

  public RequestLog(TimeSource time, Seal seal) {
    this.time = time;
    this.seal = seal;
  }

  /// A request that may be repeated.
  ///
  /// @param caller its sender; the same id from another caller is another request
  /// @param method full name of the RPC
  /// @param id chosen by the caller
  /// @param content SHA-256 of the request without the id, in hexadecimal
  public record Request(String caller, String method, String id, String content) {
    /// The request with this content.
    ///
    /// @param body bytes of the request without the id, equal for equal requests
    public static Request of(String caller, String method, String id, byte[] body) {
      return new Request(caller, method, id, HexFormat.of().formatHex(sha256(body)));
    }
  }

  /// The stored answer of the first request with this key, or else the answer of `change`, which is
  /// then stored.
  ///
  /// @param transaction of `change`; it also rolls back the stored answer
  /// @throws io.headgate.kit.failure.RefusalException INVALID_ARGUMENT with reason
  ///   REQUEST_ID_REUSED if the id came before with other content
  public byte[] once(DSLContext transaction, Request request, Supplier<byte[]> change) {
    OffsetDateTime now = time.instant().atOffset(ZoneOffset.UTC);
    // Waits for a concurrent transaction that inserts the same key.
    int claimed =
        transaction
            .insertInto(LOG, CALLER, METHOD, REQUEST_ID, HASH, CREATED_AT)
            .values(request.caller(), request.method(), request.id(), request.content(), now)
            .onConflictDoNothing()
            .execute();
    if (claimed == 0) {
      return remembered(transaction, request);
    }
    byte[] answer = change.get();
    transaction
        .update(LOG)
        .set(ANSWER, seal.seal(answer, place(request)))
        .where(CALLER.eq(request.caller()))
        .and(METHOD.eq(request.method()))
        .and(REQUEST_ID.eq(request.id()))
        .execute();
    forget(transaction, now.minus(KEPT));
    return answer;
  }

  private byte[] remembered(DSLContext transaction, Request request) {
    Record2<String, byte[]> first =
        transaction
            .select(HASH, ANSWER)
            .from(LOG)
            .where(CALLER.eq(request.caller()))
            .and(METHOD.eq(request.method()))
            .and(REQUEST_ID.eq(request.id()))
            .fetchOne();
    if (first == null || first.value2() == null) {
      // A transaction with a snapshot older than the first request's commit does not see its
      // answer.
      throw Refusal.conflict("CONFLICT", "the same request is being answered; try again")
          .exception();
    }
    if (!first.value1().equals(request.content())) {
      throw Refusal.invalidField(
              "REQUEST_ID_REUSED",
              "request_id",
              "'"
                  + request.id()
                  + "' was the id of a request with other content: use a new one for each request")
          .withMetadata("requestId", request.id())
          .exception();
    }
    return seal.open(first.value2(), place(request));
  }

  private static SealedPlace place(Request request) {
    return SealedPlace.of(
        "request_log", "answer", request.caller(), request.method(), request.id());
  }

  private static void forget(DSLContext transaction, OffsetDateTime before) {
    var old =
        select(CALLER, METHOD, REQUEST_ID)
            .from(LOG)
            .where(CREATED_AT.lt(before))
            .orderBy(CREATED_AT)
            .limit(FORGOTTEN_AT_ONCE)
            // Skips rows that a concurrent request deletes.
            .forUpdate()
            .skipLocked();
    transaction.deleteFrom(LOG).where(row(CALLER, METHOD, REQUEST_ID).in(old)).execute();
  }

  private static byte[] sha256(byte[] body) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(body);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
