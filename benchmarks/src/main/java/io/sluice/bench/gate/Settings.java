package io.sluice.bench.gate;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Settings of the experiment.
 *
 * @param input the SSTs that arrive
 * @param smallSstBytes length below which SSTs become Puts, except for (a)
 * @param senders SSTs offered at a time
 * @param delay what stock nodes sleep before an ingest
 * @param metadata the metadata that is written meanwhile
 * @param disk background work
 * @param maxSeconds after which a node has not finished
 * @param place which nodes to run, and where
 */
record Settings(
        Rows input,
        long smallSstBytes,
        int senders,
        Delay delay,
        Trickle metadata,
        Disk disk,
        long maxSeconds,
        Place place) {
    /**
     * The imported rows and how they become SSTs.
     *
     * @param kvBytes keys and values to import, roughly
     * @param seed of everything that is random
     * @param primaryBufferBytes what a reader sorts at a time for the primary index
     * @param secondaryBufferBytes the same for the secondary index
     * @param primaryInOrder whether rows come in the order of the primary key
     * @param pieceBytes least size of a file after range-aligned cuts
     */
    record Rows(
            long kvBytes,
            long seed,
            int primaryBufferBytes,
            int secondaryBufferBytes,
            boolean primaryInOrder,
            int pieceBytes) {}

    /**
     * The sleep of stock nodes before an ingest.
     *
     * @param millisPerFile for each file in level 0 above 20
     * @param maxMillis longest sleep
     */
    record Delay(long millisPerFile, long maxMillis) {}

    /**
     * Metadata.
     *
     * @param perSecond Puts
     * @param flushMillis how often metadata is flushed for its own sake
     */
    record Trickle(int perSecond, long flushMillis) {}

    /**
     * Background work.
     *
     * @param mbps megabytes per second that it may write; 0 is as fast as the disk is
     * @param backgroundJobs flushes and compactions of a stock node at a time
     */
    record Disk(int mbps, int backgroundJobs) {}

    /** Nodes to run, and the directory of all files. */
    record Place(List<Candidate> nodes, Path directory) {}

    private static final double MIB = 1 << 20;

    /**
     * From {@code --name value} pairs.
     *
     * @throws IllegalArgumentException when one is unknown or no number
     */
    static Settings parse(String[] args) {
        Map<String, String> given = new HashMap<>();
        for (int i = 0; i < args.length; i += 2) {
            if (!args[i].startsWith("--") || i + 1 == args.length) {
                throw new IllegalArgumentException("expected --name value, and not " + args[i]);
            }
            given.put(args[i].substring(2), args[i + 1]);
        }
        List<Candidate> nodes = new ArrayList<>();
        for (String name : text(given, "nodes", "a,b,c,d").split(",", -1)) {
            nodes.add(Candidate.of(name));
        }
        Settings settings = new Settings(
                new Rows(
                        (long) (real(given, "gb", 2) * 1e9),
                        whole(given, "seed", 20260301),
                        (int) (real(given, "primary-mib", 4) * MIB),
                        (int) (real(given, "secondary-mib", 0.25) * MIB),
                        text(given, "primary-order", "random").equalsIgnoreCase("key"),
                        (int) (real(given, "piece-mib", 2) * MIB)),
                (long) (real(given, "small-mib", 1) * MIB),
                (int) whole(given, "senders", 2),
                new Delay(whole(given, "delay-ms", 500), whole(given, "max-delay-ms", 5_000)),
                new Trickle((int) whole(given, "metadata-per-second", 20), whole(given, "metadata-flush-ms", 5_000)),
                new Disk((int) whole(given, "disk-mbps", 0), (int) whole(given, "background-jobs", 3)),
                whole(given, "max-seconds", 600),
                new Place(nodes, Path.of(text(given, "dir", System.getProperty("java.io.tmpdir") + "/sluice-gate"))));
        if (!given.isEmpty()) {
            throw new IllegalArgumentException("unknown: --" + String.join(", --", given.keySet()));
        }
        return settings;
    }

    private static String text(Map<String, String> given, String name, String otherwise) {
        String text = given.remove(name);
        return text == null ? otherwise : text;
    }

    private static double real(Map<String, String> given, String name, double otherwise) {
        return Double.parseDouble(text(given, name, Double.toString(otherwise)));
    }

    private static long whole(Map<String, String> given, String name, long otherwise) {
        return Long.parseLong(text(given, name, Long.toString(otherwise)));
    }
}
