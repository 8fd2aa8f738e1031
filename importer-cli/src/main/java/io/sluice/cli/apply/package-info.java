/** {@code sluice apply}: applies the changes after the snapshot that was imported. */
@NullMarked
package io.sluice.cli.apply;

import org.jspecify.annotations.NullMarked;
