@NullMarked
package io.sluice.importer.journal;

import org.jspecify.annotations.NullMarked;
