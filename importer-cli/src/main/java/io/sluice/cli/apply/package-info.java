/** {@code sluice apply}: the changes that came after a snapshot was imported. */
@NullMarked
package io.sluice.cli.apply;

import org.jspecify.annotations.NullMarked;
