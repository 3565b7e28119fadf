package io.headgate.sdk.cli.frame;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// A stream of this process that remembers why a write failed: `export > FILE` on a full disk must
/// not look complete. Always UTF-8: names are data, and the locale must not damage them.
final class ProcessOutput extends PrintStream {
  /// The text of EPIPE on Linux: the reader closed the pipe.
  private static final String CLOSED = "Broken pipe";

  private final Watched watched;

  ProcessOutput(FileDescriptor descriptor) {
    this(new Watched(new FileOutputStream(descriptor)));
  }

  private ProcessOutput(Watched watched) {
    super(watched, true, StandardCharsets.UTF_8);
    this.watched = watched;
  }

  /// The first failure; null when there was none or the reader closed the pipe.
  @Nullable IOException failure() {
    flush();
    return watched.failure;
  }

  private static final class Watched extends OutputStream {
    private final OutputStream out;
    private volatile @Nullable IOException failure;

    Watched(OutputStream out) {
      this.out = out;
    }

    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      try {
        out.write(bytes, offset, length);
      } catch (IOException e) {
        if (failure == null && !CLOSED.equals(e.getMessage())) {
          failure = e;
        }
        throw e;
      }
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }
}
