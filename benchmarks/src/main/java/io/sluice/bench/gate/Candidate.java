package io.sluice.bench.gate;

/** A node that takes part. */
enum Candidate {
    /** As CockroachDB's first direct import met it. */
    STOCK("a", "RocksDB, 7 levels, all in one family"),
    /** Small SSTs do not become files any more. */
    STOCK_PUTS("b", "a + small SSTs as Puts"),
    /** Metadata does not make wide files any more. */
    STOCK_APART("c", "b + metadata apart"),
    /** The storage node. */
    SLUICE("d", "Sluice"),
    /** The storage node without the help of an importer that cuts its SSTs at common keys. */
    SLUICE_UNCUT("d'", "Sluice, SSTs uncut");

    private final String letter;
    private final String title;

    Candidate(String letter, String title) {
        this.letter = letter;
        this.title = title;
    }

    static Candidate of(String letter) {
        for (Candidate each : values()) {
            if (each.letter.equals(letter)) {
                return each;
            }
        }
        throw new IllegalArgumentException("no node " + letter);
    }

    String letter() {
        return letter;
    }

    String title() {
        return title;
    }

    /** Whether it gets SSTs that are cut at the same keys. */
    boolean cut() {
        return this == SLUICE;
    }
}
