/// Messages that users read: events, reasons for waiting, causes of ends and forecasts. Pure
/// functions of rows and catalog values.
@NullMarked
package io.headgate.scheduler.runtime.text;

import org.jspecify.annotations.NullMarked;
