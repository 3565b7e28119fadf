package io.headgate.scheduler;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.headgate.kit.db.DatabaseConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/// A wire between the scheduler and its database that can be cut in the middle of a commit.
final class PostgresProxy implements AutoCloseable {
  /// Where the wire is cut, once.
  enum Cut {
    NOWHERE,
    /// The server never hears of the commit.
    BEFORE_COMMIT,
    /// The same, and the wire stays up: whoever was to say it stands still.
    STANDS_STILL,
    /// The server commits, and nobody hears of it.
    AFTER_COMMIT
  }

  private final ServerSocket listener;
  private final String host;
  private final int port;
  private final DatabaseConfig database;
  private final CountDownLatch stillStanding = new CountDownLatch(1);
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

  /// From the scheduler to the database.
  private void up(Socket client, Socket server) {
    try (client;
        server) {
      InputStream in = client.getInputStream();
      OutputStream out = server.getOutputStream();
      byte[] buffer = new byte[1 << 16];
      boolean writesJobs = false;
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        String text = new String(buffer, 0, read, ISO_8859_1);
        writesJobs |= text.contains("insert into job (");
        if (writesJobs && text.contains("COMMIT")) {
          writesJobs = false;
          Cut where = cut.getAndSet(Cut.NOWHERE);
          if (where == Cut.BEFORE_COMMIT) {
            return;
          }
          if (where == Cut.STANDS_STILL) {
            stillStanding.await();
            return;
          }
          if (where == Cut.AFTER_COMMIT) {
            client.close();
            out.write(buffer, 0, read);
            out.flush();
            // The server closes no connection by itself: it has done what it was told by then.
            server.shutdownOutput();
            return;
          }
        }
        out.write(buffer, 0, read);
        out.flush();
      }
    } catch (IOException e) {
      // One end is gone, and so the other.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void copy(Socket from, Socket to) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException e) {
      // One end is gone, and so the other.
    }
  }

  @Override
  public void close() throws IOException {
    stillStanding.countDown();
    listener.close();
  }
}
