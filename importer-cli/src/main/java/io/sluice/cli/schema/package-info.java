/** {@code schema infer}: tables that files suggest. */
@NullMarked
package io.sluice.cli.schema;

import org.jspecify.annotations.NullMarked;
