package io.sluice.tpcc;

/** Customers' last names: three syllables, one for each digit of a number below 1,000 (clause 4.3.2.3). */
final class LastName {
    static final int MAX_BYTES = 3 * 5;

    private static final byte[][] SYLLABLES = {
        CsvBuffer.ascii("BAR"), CsvBuffer.ascii("OUGHT"), CsvBuffer.ascii("ABLE"), CsvBuffer.ascii("PRI"),
        CsvBuffer.ascii("PRES"), CsvBuffer.ascii("ESE"), CsvBuffer.ascii("ANTI"), CsvBuffer.ascii("CALLY"),
        CsvBuffer.ascii("ATION"), CsvBuffer.ascii("EING")
    };

    /** The run-time constant C of NURand (clause 2.1.6); any number in [0, 255] will do for a load. */
    private static final int NURAND_C = 157;

    private LastName() {}

    /** The first 1,000 customers of a district have all the names; the others draw theirs from NURand(255, 0, 999). */
    static void write(long customer, SplitMix64 random, CsvBuffer out) {
        int number = customer <= 1000
                ? (int) (customer - 1)
                : ((random.between(0, 255) | random.between(0, 999)) + NURAND_C) % 1000;
        out.text(SYLLABLES[number / 100], SYLLABLES[number / 10 % 10], SYLLABLES[number % 10]);
    }
}
