package io.sluice.importer.source.remote;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Identifies one version of an object in an S3-style store, the same in a listing as in an answer about the object. So
 * it lacks the version id of a bucket with versioning, which listings do not have.
 *
 * @param etag the ETag, or null if the store has none
 * @param lastModified time in whole seconds, as in headers, or null
 * @param sizeBytes length of the object
 */
record S3Version(@Nullable String etag, @Nullable Instant lastModified, long sizeBytes) {
    S3Version {
        lastModified = lastModified == null ? null : lastModified.truncatedTo(ChronoUnit.SECONDS);
    }

    /** Whether a request can demand this version. */
    boolean known() {
        return etag != null || lastModified != null;
    }

    /** Whether an answer is of this version, since some stores ignore conditions. */
    boolean isOf(@Nullable String answeredEtag, @Nullable Instant answeredDate) {
        return etag != null
                ? answeredEtag == null || bare(etag).equals(bare(answeredEtag))
                : lastModified == null
                        || answeredDate == null
                        || lastModified.equals(answeredDate.truncatedTo(ChronoUnit.SECONDS));
    }

    /** Strips the quotes, which only some answers have around an ETag. */
    private static String bare(String etag) {
        return etag.replace("\"", "");
    }

    /** ETag and time of the last change; empty if a request cannot demand the version. */
    @Override
    public String toString() {
        String tag = etag == null ? "" : "ETag " + bare(etag);
        String date = lastModified == null ? "" : "Last-Modified " + lastModified;
        return tag.isEmpty() || date.isEmpty() ? tag + date : tag + ", " + date;
    }
}
