package io.headgate.sdk.cli.frame;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// A stream of this process that knows why something could not be written: `export > FILE` on a
/// full disk must not look as if it were done. UTF-8 whatever the locale: names are data, and data
/// is not damaged for display.
final class ProcessOutput extends PrintStream {
  /// What Linux says when nobody reads any more.
  private static final String CLOSED = "Broken pipe";

  private final Watched watched;

  ProcessOutput(FileDescriptor descriptor) {
    this(new Watched(new FileOutputStream(descriptor)));
  }

  private ProcessOutput(Watched watched) {
    super(watched, true, StandardCharsets.UTF_8);
    this.watched = watched;
  }

  /// What went wrong first; null: nothing, or whoever reads has seen enough.
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
