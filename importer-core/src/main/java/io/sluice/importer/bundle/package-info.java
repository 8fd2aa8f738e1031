/**
 * Reject bundles: a directory with the rejected records of one import, what was wrong with each, and all it takes to
 * import them again once they are repaired. docs/rejects.md describes the files.
 */
@NullMarked
package io.sluice.importer.bundle;

import org.jspecify.annotations.NullMarked;
