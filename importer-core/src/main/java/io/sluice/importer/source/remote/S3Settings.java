package io.sluice.importer.source.remote;

import java.io.Serializable;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Settings of an S3-style object store. Credentials are not included: the AWS SDK finds them in the environment, the
 * profile, or the machine.
 *
 * @param endpoint address of the store, or null for AWS itself
 * @param region the region; null: from the environment or the profile
 * @param pathStyle whether the bucket is part of the path, not of the host name
 */
public record S3Settings(@Nullable URI endpoint, @Nullable String region, boolean pathStyle) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** AWS with the settings of the environment. */
    public static final S3Settings DEFAULT = new S3Settings(null, null, false);
}
