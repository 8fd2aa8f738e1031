package io.sluice.api.transaction;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * The position up to which a change log is applied. The arrays are not copied.
 *
 * @param log name of the log
 * @param position opaque resume position of the applier
 * @param before the position that it follows; null: none. The log of a cluster refuses it after another one
 */
@SuppressWarnings("ArrayRecordComponent")
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LogPosition(String log, byte[] position, byte @Nullable [] before) {
    /** Longest name of a log, in characters. */
    public static final int MAX_NAME = 1_024;
    /** Longest position, in bytes. */
    public static final int MAX_POSITION = 1_024;

    /** A position that is read. */
    public static LogPosition of(String log, byte[] position) {
        return new LogPosition(log, position, null);
    }
}
