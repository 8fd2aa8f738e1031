package io.sluice.model.kv;

/**
 * The values that represent infinities and NaN in {@link io.sluice.model.row.Row rows} and KVs. Dates and timestamps
 * have no special encoding for them: they are ordinary numbers, on which parsers and formatters agree.
 */
public final class SpecialDatums {
    /** DATE 'infinity', in days. */
    public static final long DATE_INFINITY = Long.MAX_VALUE;

    /** DATE '-infinity', in days. */
    public static final long DATE_NEGATIVE_INFINITY = Long.MIN_VALUE;

    /** Seconds of TIMESTAMP and TIMESTAMPTZ 'infinity': the last second of the year 294276, as CockroachDB 20.2. */
    public static final long TIMESTAMP_INFINITY_SECONDS = 9_224_318_015_999L;

    /** Nanoseconds of TIMESTAMP 'infinity': the last microsecond of its second. */
    public static final int TIMESTAMP_INFINITY_NANOS = 999_999_000;

    /** Seconds of TIMESTAMP '-infinity': the year -4713, as CockroachDB 20.2; its nanoseconds are 0. */
    public static final long TIMESTAMP_NEGATIVE_INFINITY_SECONDS = -210_866_803_200L;

    /** Bits of the FLOAT NaN, which differ from Java's canonical NaN in the last bit. */
    public static final long NAN_BITS = 0x7ff8_0000_0000_0001L;

    private SpecialDatums() {}
}
