/// Reads traces of real clusters: CSV files, checked line by line.
@NullMarked
package io.headgate.deploy.simulate.trace;

import org.jspecify.annotations.NullMarked;
