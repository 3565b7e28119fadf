package io.headgate.sdk.cli.output;

import com.google.protobuf.Message;

/// One API message behind a row.
///
/// @param singular its key beside other messages of a row: `usage`
/// @param plural key of the list of such messages: `usages`
public record RowMessage(String singular, String plural, Message message) {}
