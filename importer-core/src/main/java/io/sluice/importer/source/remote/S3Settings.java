package io.sluice.importer.source.remote;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Where an S3-style object store is. Credentials are not among it: they come from the environment, the profile, or the
 * machine, as the AWS SDK finds them.
 *
 * @param endpoint address of the store, or null for AWS itself
 * @param region or null: as the environment or the profile says
 * @param pathStyle whether buckets are parts of the path and not of the host name
 */
public record S3Settings(@Nullable URI endpoint, @Nullable String region, boolean pathStyle) {
    /** AWS, as the environment has it. */
    public static final S3Settings DEFAULT = new S3Settings(null, null, false);
}
