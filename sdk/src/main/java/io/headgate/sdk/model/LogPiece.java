package io.headgate.sdk.model;

/// A piece of what a job printed.
///
/// @param error printed to standard error
/// @param data the bytes; the array belongs to the receiver
/// @param offset of the first byte in its stream since the attempt began
/// @param gap bytes before this piece were dropped
@SuppressWarnings(
    "ArrayRecordComponent") // Copied nowhere: logs can be large, and are passed on once.
public record LogPiece(boolean error, byte[] data, int attempt, long offset, boolean gap) {}
