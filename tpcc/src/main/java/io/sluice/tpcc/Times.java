package io.sluice.tpcc;

/** Points in time for rows. TPC-C takes the clock's; these repeat. */
final class Times {
    /** 2020-01-01 00:00:00 UTC, in microseconds. */
    private static final long BEGIN_MICROS = 1_577_836_800L * 1_000_000L;

    private static final int MICROS_PER_SECOND = 1_000_000;

    private Times() {}

    /** One second after another from 2020 on, each row's with a random fraction. */
    static long ofRow(long row, SplitMix64 random) {
        return BEGIN_MICROS + row * MICROS_PER_SECOND + random.below(MICROS_PER_SECOND);
    }

    /** The whole second of a row: the same in all tables that mention it. */
    static long wholeSecond(long row) {
        return BEGIN_MICROS + row * MICROS_PER_SECOND;
    }
}
