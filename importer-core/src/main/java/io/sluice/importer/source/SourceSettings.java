package io.sluice.importer.source;

import io.sluice.importer.source.origin.Access;
import io.sluice.importer.source.remote.S3Settings;

/**
 * Settings for finding and reading inputs.
 *
 * @param encoding compression and charset of the inputs
 * @param s3 the object store of {@code s3://} addresses
 * @param access decides which files and addresses may be read
 */
public record SourceSettings(Encoding encoding, S3Settings s3, Access access) {
    /** Detected compression, UTF-8, AWS. */
    public static final SourceSettings DEFAULT = new SourceSettings(Encoding.DEFAULT, S3Settings.DEFAULT);

    /** Creates settings without access limits. */
    public SourceSettings(Encoding encoding, S3Settings s3) {
        this(encoding, s3, Access.ALL);
    }

    /** Returns a copy with other access limits. */
    public SourceSettings within(Access limits) {
        return new SourceSettings(encoding, s3, limits);
    }
}
