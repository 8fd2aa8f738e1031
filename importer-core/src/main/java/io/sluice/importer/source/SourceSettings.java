package io.sluice.importer.source;

import io.sluice.importer.source.remote.S3Settings;

/**
 * How inputs are found and read.
 *
 * @param encoding how their text became bytes
 * @param s3 where objects of addresses that begin with {@code s3://} lie
 */
public record SourceSettings(Encoding encoding, S3Settings s3) {
    /** Compression as files show it, UTF-8, AWS. */
    public static final SourceSettings DEFAULT = new SourceSettings(Encoding.DEFAULT, S3Settings.DEFAULT);
}
