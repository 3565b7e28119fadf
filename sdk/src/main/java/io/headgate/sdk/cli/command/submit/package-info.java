/// Submitting jobs.
@NullMarked
package io.headgate.sdk.cli.command.submit;

import org.jspecify.annotations.NullMarked;
