package io.headgate.agent.grpc;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.runtime.Agent;
import io.headgate.proto.agent.v1.ConnectRequest;
import io.headgate.proto.agent.v1.LogChunk;
import io.headgate.proto.agent.v1.ReadLogs;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The readers of output over one session. Confined to the session's thread.
final class LogReaders {
  private static final int MAX_READERS = 64;

  private final Agent agent;
  private final Map<String, LogSender> readers = new LinkedHashMap<>();

  LogReaders(Agent agent) {
    this.agent = agent;
  }

  boolean isEmpty() {
    return readers.isEmpty();
  }

  /// Begins a reading, or grants more bytes to one that exists.
  void read(ReadLogs request, Consumer<ConnectRequest> out) {
    @Nullable LogSender known = readers.get(request.getReadId());
    if (known != null) {
      known.grant(request.getWindowBytes());
      return;
    }
    if (readers.size() >= MAX_READERS) {
      String problem = "this machine serves " + MAX_READERS + " readers already";
      out.accept(ToWire.message(ToWire.lastChunk(request.getReadId(), problem)));
      return;
    }
    AttemptKey key =
        FromWire.key(request.getJob(), request.getUid(), request.getAttempt(), request.getWorker());
    readers.put(request.getReadId(), new LogSender(agent, request, key));
  }

  /// Sends as much as fits: one chunk of each reader in turn, so that none starves another.
  void send(BooleanSupplier isReady, Consumer<ConnectRequest> out) {
    boolean sent = true;
    while (sent) {
      sent = false;
      for (Map.Entry<String, LogSender> reader : List.copyOf(readers.entrySet())) {
        if (!isReady.getAsBoolean()) {
          return;
        }
        Optional<LogChunk> chunk = reader.getValue().next();
        chunk.ifPresent(found -> out.accept(ToWire.message(found)));
        sent |= chunk.isPresent();
        if (reader.getValue().isDone()) {
          close(reader.getKey());
        }
      }
    }
  }

  void close(String readId) {
    Optional.ofNullable(readers.remove(readId)).ifPresent(LogSender::close);
  }

  void closeAll() {
    new ArrayList<>(readers.keySet()).forEach(this::close);
  }
}
