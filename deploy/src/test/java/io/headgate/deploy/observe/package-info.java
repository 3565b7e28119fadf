/// Programs that show what Headgate emits, as users run them: Prometheus, VictoriaMetrics, Zipkin
/// and a browser. Tests start them on loopback and ask them.
@NullMarked
package io.headgate.deploy.observe;

import org.jspecify.annotations.NullMarked;
