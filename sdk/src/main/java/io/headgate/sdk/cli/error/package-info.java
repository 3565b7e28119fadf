/// Errors of the command line as text or JSON: what is wrong, where, why, and what to do. The last
/// token of the first line is the stable reason.
@NullMarked
package io.headgate.sdk.cli.error;

import org.jspecify.annotations.NullMarked;
