/// OpenTelemetry instruments of the agent, its devices and its attempts.
@NullMarked
package io.headgate.agent.runtime.telemetry;

import org.jspecify.annotations.NullMarked;
