package io.headgate.kit.telemetry;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import org.jspecify.annotations.Nullable;

/// `%thrown` in the log layout: stack traces whose messages are as harmless as those of
/// [PrintableMessage]. The message of an exception often quotes what came from outside.
public final class PrintableThrowable extends ThrowableProxyConverter {

  @Override
  protected String throwableProxyToString(IThrowableProxy thrown) {
    return super.throwableProxyToString(new Printable(thrown));
  }

  /// An exception with its causes, each with its message in one line.
  private record Printable(IThrowableProxy thrown) implements IThrowableProxy {
    @Override
    public @Nullable String getMessage() {
      @Nullable String message = thrown.getMessage();
      return message == null ? null : PrintableMessage.inOneLine(message);
    }

    @Override
    public String getClassName() {
      return PrintableMessage.inOneLine(thrown.getClassName());
    }

    @Override
    public StackTraceElementProxy[] getStackTraceElementProxyArray() {
      return thrown.getStackTraceElementProxyArray();
    }

    @Override
    public int getCommonFrames() {
      return thrown.getCommonFrames();
    }

    @Override
    public @Nullable IThrowableProxy getCause() {
      @Nullable IThrowableProxy cause = thrown.getCause();
      return cause == null ? null : new Printable(cause);
    }

    @Override
    public IThrowableProxy @Nullable [] getSuppressed() {
      IThrowableProxy @Nullable [] suppressed = thrown.getSuppressed();
      if (suppressed == null) {
        return null;
      }
      IThrowableProxy[] printable = new IThrowableProxy[suppressed.length];
      for (int i = 0; i < suppressed.length; i++) {
        printable[i] = new Printable(suppressed[i]);
      }
      return printable;
    }

    @Override
    public boolean isCyclic() {
      return thrown.isCyclic();
    }
  }
}
