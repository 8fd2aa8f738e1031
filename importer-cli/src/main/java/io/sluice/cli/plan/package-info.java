/** {@code sluice plan}: what an import would do, printed without importing. */
@NullMarked
package io.sluice.cli.plan;

import org.jspecify.annotations.NullMarked;
