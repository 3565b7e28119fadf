package io.headgate.scheduler;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.headgate.kit.db.DatabaseConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/// A wire between the scheduler and its database that can be cut in the middle of a commit.
final class PostgresProxy implements AutoCloseable {
  /// Where the wire is cut, once.
  enum Cut {
    NOWHERE,
    /// The server never hears of the commit.
    BEFORE_COMMIT,
    /// The server never hears of the commit, and the connection stays open, as if the sender stood
    /// still.
    STANDS_STILL,
    /// The server commits, and its answer is lost.
    AFTER_COMMIT,
    /// The batch reaches the server late: the sender has lost this connection and repeated the
    /// batch on another.
    OVERTAKEN
  }

  /// How a batch begins, and its last message.
  private static final String FENCE = "fence(";

  private static final String SYNC = "S\0\0\0\4";

  /// The text of an unprepared statement, as a message of the protocol carries it.
  private static final String COMMIT = "\0\ncommit\0";

  /// The bytes of a message before that text: its kind and its length.
  private static final int HEADER = 5;

  private static final String TOO_LATE = "HG001";

  private final ServerSocket listener;
  private final String host;
  private final int port;
  private final DatabaseConfig database;
  private final CountDownLatch stillStanding = new CountDownLatch(1);
  private final CountDownLatch overtaken = new CountDownLatch(1);
  private final CountDownLatch refused = new CountDownLatch(1);
  private final AtomicReference<Cut> cut = new AtomicReference<>(Cut.NOWHERE);

  PostgresProxy(DatabaseConfig database) throws IOException {
    this.database = database;
    URI target = URI.create(database.url().substring("jdbc:".length()));
    this.host = target.getHost();
    this.port = target.getPort();
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  /// The same database at the end of the wire.
  DatabaseConfig database() {
    String url = database.url().replace(host + ":" + port, "127.0.0.1:" + listener.getLocalPort());
    // Statements by their text, each time: a prepared COMMIT could not be told from others.
    String plain = url + (url.contains("?") ? "&" : "?") + "prepareThreshold=0";
    return new DatabaseConfig(
        plain,
        database.user(),
        database.password(),
        database.schema(),
        database.owner(),
        database.maxConnections(),
        database.connectTimeout(),
        database.socketTimeout(),
        database.allowUnsafeDurability());
  }

  /// The next commit of a transaction that writes jobs is cut.
  void cutNext(Cut where) {
    cut.set(where);
  }

  /// Whether it has happened.
  boolean isCut() {
    return cut.get() == Cut.NOWHERE;
  }

  private void accept() {
    try {
      while (!listener.isClosed()) {
        Socket client = listener.accept();
        Socket server = new Socket(host, port);
        Thread.ofVirtual().start(() -> up(client, server));
        Thread.ofVirtual().start(() -> copy(server, client));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  /// Carries bytes from the scheduler to the database.
  private void up(Socket client, Socket server) {
    try (client;
        server) {
      InputStream in = client.getInputStream();
      OutputStream out = server.getOutputStream();
      byte[] buffer = new byte[1 << 16];
      ByteArrayOutputStream batch = new ByteArrayOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (batch.size() == 0 && !text(buffer, read).contains(FENCE)) {
          out.write(buffer, 0, read);
          out.flush();
          continue;
        }
        batch.write(buffer, 0, read);
        byte[] all = batch.toByteArray();
        String text = text(all, all.length);
        if (text.endsWith(SYNC)) {
          batch.reset();
          Cut where = text.contains("insert into job (") ? cut.getAndSet(Cut.NOWHERE) : Cut.NOWHERE;
          if (!carry(where, all, text.indexOf(COMMIT) - HEADER, client, server)) {
            return;
          }
        }
      }
    } catch (IOException e) {
      // One end is gone, and so the other.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String text(byte[] bytes, int length) {
    return new String(bytes, 0, length, ISO_8859_1);
  }

  /// @param commit where the commit begins in it
  /// @return whether the wire is whole
  private boolean carry(Cut where, byte[] batch, int commit, Socket client, Socket server)
      throws IOException, InterruptedException {
    OutputStream out = server.getOutputStream();
    if (where == Cut.AFTER_COMMIT || where == Cut.OVERTAKEN) {
      client.close();
    }
    if (where == Cut.OVERTAKEN) {
      overtaken.await();
    }
    boolean isUntilCommit = where == Cut.BEFORE_COMMIT || where == Cut.STANDS_STILL;
    out.write(batch, 0, isUntilCommit ? commit : batch.length);
    out.flush();
    switch (where) {
      case STANDS_STILL -> stillStanding.await();
      // The server closes no connection by itself: it has done what it was told by then.
      case AFTER_COMMIT -> server.shutdownOutput();
      case OVERTAKEN -> refused.await();
      case BEFORE_COMMIT, NOWHERE -> {}
    }
    return where == Cut.NOWHERE;
  }

  private void copy(Socket from, Socket to) {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      byte[] buffer = new byte[1 << 16];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (text(buffer, read).contains(TOO_LATE)) {
          refused.countDown();
        }
        say(to, buffer, read);
      }
    } catch (IOException e) {
      // One end is gone, and so the other.
    }
  }

  private static void say(Socket to, byte[] answer, int length) {
    try {
      to.getOutputStream().write(answer, 0, length);
    } catch (IOException e) {
      // The client has closed its end; the server's answer to the late batch is still read.
    }
  }

  /// Lets the overtaken batch arrive now.
  ///
  /// @return whether the server refused it
  boolean arrives() throws InterruptedException {
    overtaken.countDown();
    return refused.await(Installation.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() throws IOException {
    stillStanding.countDown();
    overtaken.countDown();
    refused.countDown();
    listener.close();
  }
}
