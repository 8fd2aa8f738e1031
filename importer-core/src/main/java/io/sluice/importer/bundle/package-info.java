/**
 * Reject bundles: a directory with the rejected records of one import, what was wrong with each, and all it takes to
 * import them again once they are repaired.
 *
 * <h2>Format, version 1</h2>
 *
 * <p>{@code manifest.json} names the table, its DDL, the format of the data files, their records and bytes, and the
 * outcome of the import; see {@link io.sluice.importer.bundle.Manifest}. The data files hold the rejected records as
 * they were in the input. docs/how-to/rejects.md describes all files.
 *
 * <p>The manifest holds the version. {@code sluice replay} refuses a later version and skips members that it does not
 * know.
 */
@NullMarked
package io.sluice.importer.bundle;

import org.jspecify.annotations.NullMarked;
