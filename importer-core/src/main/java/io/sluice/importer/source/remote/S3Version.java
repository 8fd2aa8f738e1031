package io.sluice.importer.source.remote;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * One version of an object of an S3-style store.
 *
 * @param etag or null where the store has none
 * @param lastModified in whole seconds, as headers have it, or null
 * @param id of a version in a bucket that keeps versions; null elsewhere, and where objects are listed
 * @param sizeBytes its length
 */
record S3Version(
        @Nullable String etag,
        @Nullable Instant lastModified,
        @Nullable String id,
        long sizeBytes) {
    S3Version {
        lastModified = lastModified == null ? null : lastModified.truncatedTo(ChronoUnit.SECONDS);
    }

    /** Whether a request can ask for this version and no other. */
    boolean known() {
        return etag != null || lastModified != null;
    }

    /** Whether an answer is of this version, for not every store looks at what is demanded of it. */
    boolean isOf(@Nullable String answeredEtag, @Nullable Instant answeredDate) {
        return etag != null
                ? answeredEtag == null || bare(etag).equals(bare(answeredEtag))
                : lastModified == null
                        || answeredDate == null
                        || lastModified.equals(answeredDate.truncatedTo(ChronoUnit.SECONDS));
    }

    /** Some answers have quotes around an ETag, and some have none. */
    private static String bare(String etag) {
        return etag.replace("\"", "");
    }

    /** ETag, time of the last change and version id; empty when a request cannot ask for the version. */
    @Override
    public String toString() {
        String tag = etag == null ? "" : "ETag " + bare(etag);
        String date = lastModified == null ? "" : "Last-Modified " + lastModified;
        String both = tag.isEmpty() || date.isEmpty() ? tag + date : tag + ", " + date;
        return id == null || both.isEmpty() ? both : both + ", version " + id;
    }
}
