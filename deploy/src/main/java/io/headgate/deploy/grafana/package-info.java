/// Dashboards and alerts as code: short descriptions here, and from them the files that Grafana and
/// Prometheus read. They are kept in deploy/grafana, and a test compares both.
@NullMarked
package io.headgate.deploy.grafana;

import org.jspecify.annotations.NullMarked;
