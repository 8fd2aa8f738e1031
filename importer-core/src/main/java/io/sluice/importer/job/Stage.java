package io.sluice.importer.job;

import java.util.Locale;

/** Activities of a worker, waiting included; the one that takes the most time limits the import. */
public enum Stage {
    SOURCE,
    DECODE,
    SORT,
    SST,
    DISK,
    /** Waiting for the rate limit. */
    CAP;

    /** The stage's name in reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
