/// Errors as the command line shows them: what, where, why with numbers, what next; the last token
/// of the first line is the stable reason. Or the same as JSON.
@NullMarked
package io.headgate.sdk.cli.error;

import org.jspecify.annotations.NullMarked;
