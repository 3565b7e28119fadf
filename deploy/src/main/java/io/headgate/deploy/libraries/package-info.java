/// The libraries of the product: its bill of materials, and which of them have known faults.
@NullMarked
package io.headgate.deploy.libraries;

import org.jspecify.annotations.NullMarked;
