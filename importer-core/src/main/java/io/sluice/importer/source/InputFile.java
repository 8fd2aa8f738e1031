package io.sluice.importer.source;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One input of an import.
 *
 * @param ordinal its place among the inputs, from 0
 * @param name how messages call it
 * @param path where it lies, or null for standard input
 * @param sizeBytes its length, or -1 when it is not known beforehand
 */
public record InputFile(int ordinal, String name, @Nullable Path path, long sizeBytes) {}
