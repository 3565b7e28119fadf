package io.headgate.kit.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpResponseWriter;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// One stream of messages whose client reads JSON lines. A failure before the first message is an
/// answer with its HTTP status, a later one the last line.
final class JsonStreamCall extends ServerCall<Message, Message> {
  /// Above it the stream is not ready for more, as with gRPC.
  private static final int MOST_UNREAD_BYTES = 64 << 10;

  private static final MediaType LINES = MediaType.create("application", "x-ndjson");

  private final MethodDescriptor<Message, Message> method;
  private final CompletableFuture<HttpResponse> response;
  private final Executor inOrder;
  private final Object lock = new Object();

  private @Nullable HttpResponseWriter writer;

  private int unread;

  private boolean closed;

  private volatile boolean left;
  private volatile @Nullable Listener<Message> listener;

  /// @param inOrder runs what the listener hears, one after the other
  JsonStreamCall(
      MethodDescriptor<Message, Message> method,
      CompletableFuture<HttpResponse> response,
      Executor inOrder) {
    this.method = method;
    this.response = response;
    this.inOrder = inOrder;
  }

  void listen(Listener<Message> calls) {
    listener = calls;
  }

  /// The exchange has ended: all was sent, or the client is gone.
  void left() {
    boolean complete;
    synchronized (lock) {
      complete = closed;
      closed = true;
    }
    left = !complete;
    Listener<Message> calls = listener;
    if (calls == null) {
      return;
    }
    if (complete) {
      calls.onComplete();
    } else {
      calls.onCancel();
    }
  }

  @Override
  public void request(int messages) {
    // The one request is there already.
  }

  @Override
  public void sendHeaders(Metadata headers) {
    // They go with the first message, so that a failure before it has a status of its own.
  }

  @Override
  public void sendMessage(Message message) {
    write(line(message));
  }

  @Override
  public boolean isReady() {
    synchronized (lock) {
      return !closed && unread < MOST_UNREAD_BYTES;
    }
  }

  @Override
  public void close(Status status, Metadata trailers) {
    HttpResponseWriter open;
    synchronized (lock) {
      if (closed) {
        return;
      }
      closed = true;
      open = writer;
    }
    if (open == null) {
      response.complete(
          status.isOk()
              ? HttpResponse.of(HttpStatus.OK, LINES, "")
              : ErrorPages.json(StatusProto.fromStatusAndTrailers(status, trailers)));
      return;
    }
    if (!status.isOk()) {
      String error = ErrorPages.text(StatusProto.fromStatusAndTrailers(status, trailers));
      var _ = open.tryWrite(HttpData.ofUtf8("{\"error\": " + error.replace("\n", " ") + "}\n"));
    }
    open.close();
  }

  @Override
  public boolean isCancelled() {
    return left;
  }

  @Override
  public MethodDescriptor<Message, Message> getMethodDescriptor() {
    return method;
  }

  private void write(String line) {
    HttpData data = HttpData.ofUtf8(line);
    HttpResponseWriter open;
    synchronized (lock) {
      if (closed) {
        return;
      }
      unread += data.length();
      open = writer == null ? begin() : writer;
      writer = open;
      if (!open.tryWrite(data)) {
        return;
      }
    }
    var _ = open.whenConsumed().thenRun(() -> consumed(data.length()));
  }

  private HttpResponseWriter begin() {
    HttpResponseWriter fresh = HttpResponse.streaming();
    fresh.write(
        ResponseHeaders.of(HttpStatus.OK, "content-type", LINES, "cache-control", "no-store"));
    response.complete(fresh);
    return fresh;
  }

  private void consumed(int bytes) {
    boolean readyAgain;
    synchronized (lock) {
      boolean wasReady = unread < MOST_UNREAD_BYTES;
      unread -= bytes;
      readyAgain = !wasReady && unread < MOST_UNREAD_BYTES && !closed;
    }
    Listener<Message> calls = listener;
    if (readyAgain && calls != null) {
      inOrder.execute(calls::onReady);
    }
  }

  private static String line(Message message) {
    try {
      return JsonFormat.printer().omittingInsignificantWhitespace().print(message) + "\n";
    } catch (InvalidProtocolBufferException e) {
      throw Status.INTERNAL.withCause(e).asRuntimeException();
    }
  }
}
