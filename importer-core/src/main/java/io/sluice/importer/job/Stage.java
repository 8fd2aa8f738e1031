package io.sluice.importer.job;

import java.util.Locale;

/** What a worker can be busy with or waiting for; the one that takes the most time limits the import. */
public enum Stage {
    SOURCE,
    DECODE,
    SORT,
    SST,
    DISK,
    /** Waiting because no more is to be read at the moment. */
    CAP;

    /** The stage's name in reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
