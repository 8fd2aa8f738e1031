package io.sluice.importer.source;

import io.sluice.importer.source.origin.Access;
import io.sluice.importer.source.remote.S3Settings;

/**
 * How inputs are found and read.
 *
 * @param encoding how their text became bytes
 * @param s3 where objects of addresses that begin with {@code s3://} lie
 * @param access which files and addresses may be read
 */
public record SourceSettings(Encoding encoding, S3Settings s3, Access access) {
    /** Compression as files show it, UTF-8, AWS. */
    public static final SourceSettings DEFAULT = new SourceSettings(Encoding.DEFAULT, S3Settings.DEFAULT);

    /** Settings that let all be read. */
    public SourceSettings(Encoding encoding, S3Settings s3) {
        this(encoding, s3, Access.ALL);
    }

    /** The same within other limits. */
    public SourceSettings within(Access limits) {
        return new SourceSettings(encoding, s3, limits);
    }
}
