package io.headgate.sdk.model;

/// A piece of a job's output.
///
/// @param error from standard error
/// @param data the bytes; the array belongs to the receiver
/// @param offset of the first byte in its stream since the attempt began
/// @param gap bytes before this piece were dropped
@SuppressWarnings(
    "ArrayRecordComponent") // Not copied: logs can be large, and each piece has one receiver.
public record LogPiece(boolean error, byte[] data, int attempt, long offset, boolean gap) {}
