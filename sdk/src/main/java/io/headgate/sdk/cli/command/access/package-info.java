/// Signing in and out, contexts, and the keys of users and service accounts.
@NullMarked
package io.headgate.sdk.cli.command.access;

import org.jspecify.annotations.NullMarked;
