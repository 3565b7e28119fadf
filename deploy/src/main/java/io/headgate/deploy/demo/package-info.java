/// The story that `headgate up --demo` tells, acted out by real jobs.
@NullMarked
package io.headgate.deploy.demo;

import org.jspecify.annotations.NullMarked;
