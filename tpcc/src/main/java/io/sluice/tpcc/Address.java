package io.sluice.tpcc;

/** The columns street_1, street_2, city, state and zip, alike in three tables. */
final class Address {
    static final int MAX_BYTES = 3 * 21 + 3 + 10;

    private Address() {}

    static void write(SplitMix64 random, CsvBuffer out) {
        out.alphanumeric(random, 10, 20);
        out.alphanumeric(random, 10, 20);
        out.alphanumeric(random, 10, 20);
        out.state(random);
        out.zip(random);
    }
}
