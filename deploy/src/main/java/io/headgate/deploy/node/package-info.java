/// The nodes that `headgate up` is asked to run.
@NullMarked
package io.headgate.deploy.node;

import org.jspecify.annotations.NullMarked;
