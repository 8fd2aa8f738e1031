package io.sluice.sql.query;

import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;

/** Memory that a statement may take to sort and group rows. Not thread-safe. */
final class MemoryBudget {
    private final long maxBytes;
    private long bytes;

    MemoryBudget(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /**
     * Takes some of the memory.
     *
     * @param what the clause that needs it
     * @param remedy what needs less
     */
    void take(long more, String what, String remedy) {
        bytes += more;
        if (bytes > maxBytes) {
            throw new StatementException(
                    SqlErrorCode.TOO_LARGE, what + " needs more than " + maxBytes + " bytes of memory; " + remedy);
        }
    }

    void release(long less) {
        bytes -= less;
    }
}
