/**
 * Beside step 4: keeps the contents of sort buffers in local files, too. A process that resumes the import after a kill
 * need not read their rows again.
 */
@NullMarked
package io.sluice.importer.journal;

import org.jspecify.annotations.NullMarked;
