/** The export of a table into files that an import reads back: formats, parts by key range, the manifest. */
@NullMarked
package io.sluice.cli.export;

import org.jspecify.annotations.NullMarked;
