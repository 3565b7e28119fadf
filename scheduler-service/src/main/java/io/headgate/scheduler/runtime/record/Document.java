package io.headgate.scheduler.runtime.record;

/// Bytes that only their maker reads: what a job is to run, or a part of a catalog, in the form of
/// the contract. Kept as it came, so that what a newer version wrote is not lost by an older one.
public final class Document {
  public static final Document EMPTY = new Document(new byte[0]);

  private final byte[] bytes;

  private Document(byte[] bytes) {
    this.bytes = bytes;
  }

  /// Wraps the array without a copy; the caller must not change it afterwards.
  public static Document of(byte[] bytes) {
    return new Document(bytes);
  }

  /// The bytes, not to be changed.
  public byte[] bytes() {
    return bytes;
  }
}
