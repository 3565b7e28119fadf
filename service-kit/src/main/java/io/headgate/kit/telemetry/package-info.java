/// Traces, metrics and logs through OpenTelemetry.
@NullMarked
package io.headgate.kit.telemetry;

import org.jspecify.annotations.NullMarked;
