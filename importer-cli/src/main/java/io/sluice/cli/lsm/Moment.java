package io.sluice.cli.lsm;

import io.sluice.engine.lsm.LsmEntry;
import io.sluice.engine.lsm.LsmHistory;
import io.sluice.engine.lsm.LsmState;
import io.sluice.model.error.BadInputException;
import java.time.Instant;
import java.util.List;

/**
 * A column family's tree after one of its events.
 *
 * @param family its name
 * @param last the last of its events up to then
 * @param firstSeq number of its first event
 * @param lastSeq number of its last event of all
 * @param state the tree
 */
record Moment(String family, LsmEntry last, long firstSeq, long lastSeq, LsmState state) {
    /**
     * The moment after the last event whose number is not above {@code at}.
     *
     * @throws BadInputException when nothing had happened by then
     */
    static Moment of(LsmHistory history, String family, long at) {
        List<LsmEntry> own = history.of(family).entries();
        long first = own.get(0).seq();
        long last = own.get(own.size() - 1).seq();
        LsmEntry found = null;
        for (LsmEntry entry : own) {
            if (entry.seq() <= at) {
                found = entry;
            }
        }
        if (found == null) {
            throw new BadInputException("--at " + at + ": the events of column family " + family + " have the numbers "
                    + first + " to " + last);
        }
        return new Moment(family, found, first, last, history.at(family, at));
    }

    /** When the last event was, or "unknown". */
    String time() {
        return last.atMillis() == 0
                ? "unknown"
                : Instant.ofEpochMilli(last.atMillis()).toString();
    }
}
