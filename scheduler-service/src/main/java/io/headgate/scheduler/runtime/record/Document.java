package io.headgate.scheduler.runtime.record;

/// Bytes that only their maker reads: a job's specification, or a part of a catalog, in the form of
/// the contract. Kept unchanged, so that an older version loses nothing that a newer one wrote.
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
