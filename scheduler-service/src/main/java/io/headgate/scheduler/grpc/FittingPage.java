package io.headgate.scheduler.grpc;

import com.google.protobuf.MessageLite;
import java.util.List;

/// Keeps the pages of one watch below a number of bytes, although rows are read by their number.
/// Confined to the watch's thread.
final class FittingPage {
  /// Rows read at once, at most.
  static final int MOST = 500;

  /// Bytes of an element's tag and length in the surrounding message.
  private static final int OVERHEAD = 6;

  private final long bytes;
  private int rows = MOST;

  /// @param bytes of a page; a single larger item is a page of its own
  FittingPage(long bytes) {
    this.bytes = bytes;
  }

  /// Rows to read for the next page.
  int rows() {
    return rows;
  }

  /// How many of the items, from the first on, make a page. Later pages read about as many rows.
  int fitting(List<? extends MessageLite> items) {
    long sum = 0;
    int count = 0;
    for (MessageLite item : items) {
      sum += item.getSerializedSize() + OVERHEAD;
      if (sum > bytes && count > 0) {
        rows = Math.max(1, count);
        return count;
      }
      count++;
    }
    if (sum < bytes / 2) {
      rows = Math.min(MOST, 2 * rows);
    }
    return count;
  }
}
