package io.headgate.sdk.cli.output;

import com.google.protobuf.Message;

/// One API message behind a row.
///
/// @param singular what it is called beside others of the same row: `usage`
/// @param plural what the list of them is called: `usages`
public record RowMessage(String singular, String plural, Message message) {}
