package io.sluice.importer.bundle;

import java.nio.file.Path;

/**
 * Where an import leaves its rejects, and what a bundle must know that the import does not need.
 *
 * @param directory the bundle; must be new or empty
 * @param schema the DDL that declares the table and those it is interleaved in
 * @param version the version of Sluice
 */
public record BundleSettings(Path directory, String schema, String version) {}
