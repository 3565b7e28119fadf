/// All metrics that the product defines, and their names in Prometheus.
@NullMarked
package io.headgate.deploy.metrics;

import org.jspecify.annotations.NullMarked;
