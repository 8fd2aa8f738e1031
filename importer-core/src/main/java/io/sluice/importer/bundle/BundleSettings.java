package io.sluice.importer.bundle;

import java.nio.file.Path;

/**
 * Where an import leaves its rejects, and what a bundle must know that the import does not need.
 *
 * @param directory the bundle; must be new or empty
 * @param schema the DDL that declares the table and those it is interleaved in
 * @param version the version of Sluice
 * @param byDefault whether nobody has named the directory; then it is there only if it holds a reject
 */
public record BundleSettings(Path directory, String schema, String version, boolean byDefault) {
    /** A bundle in a directory that somebody has named. */
    public BundleSettings(Path directory, String schema, String version) {
        this(directory, schema, version, false);
    }
}
