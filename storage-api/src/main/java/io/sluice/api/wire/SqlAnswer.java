package io.sluice.api.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of statements.
 *
 * @param session the id of the session they ran in; null when it has ended
 * @param inTransaction whether a transaction is open now
 * @param results one per statement that was begun
 */
public record SqlAnswer(@Nullable String session, boolean inTransaction, List<SqlResultBody> results) {}
