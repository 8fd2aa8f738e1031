package io.sluice.sql.distributed;

import io.sluice.api.transaction.Decision;
import io.sluice.api.transaction.Outcome;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The replicated log of the node's cluster, which decides transactions on several nodes. Thread-safe.
 *
 * <p>Each node applies the entries in the same order, some later than others. A commit stays in the log's state until
 * all of its nodes have reported that their branches have ended.
 */
public interface DecisionLog {
    /** Index of the last entry about transactions that this node has applied; see {@link Decision#seen}. */
    long seen();

    /**
     * The outcome of a transaction by the entries that this node has applied; {@code UNKNOWN}: they have no decision,
     * or it is forgotten.
     */
    Outcome applied(UUID transaction);

    /**
     * The position up to which a change log is applied, by the entries that this node has applied; null: there is none.
     *
     * @throws io.sluice.grammar.StatementException if there is none and the log can keep no more
     */
    byte @Nullable [] position(String log);

    /**
     * Writes decisions, in one entry with those of other threads.
     *
     * @return the outcomes, for good; {@code UNKNOWN} for an abort whose author must read the log again
     * @throws io.sluice.model.error.OperationFailedException if most members do not answer; the log may have the
     *     decisions all the same
     */
    Map<UUID, Outcome> decide(List<Decision> decisions);

    /** Index of the last applied commit with a branch on this node that is not {@link #report reported}; 0: none. */
    long unreported();

    /**
     * Reports that this node has durably ended its branches of all transactions that are committed through an entry.
     */
    void report(long through);
}
