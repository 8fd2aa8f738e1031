package io.sluice.importer.bundle;

import java.nio.file.Path;

/**
 * Settings of a reject bundle.
 *
 * @param directory directory of the bundle; must be new or empty
 * @param schema the DDL that declares the table and those it is interleaved in
 * @param version the version of Sluice
 * @param byDefault whether the directory is a default, not named by the user; then it is kept only with rejects
 */
public record BundleSettings(Path directory, String schema, String version, boolean byDefault) {
    /** Creates settings for a directory that the user has named. */
    public BundleSettings(Path directory, String schema, String version) {
        this(directory, schema, version, false);
    }
}
