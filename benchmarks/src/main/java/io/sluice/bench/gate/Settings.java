package io.sluice.bench.gate;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

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

    private static final Set<String> NAMES = Set.of(
            "gb",
            "seed",
            "primary-mib",
            "secondary-mib",
            "primary-order",
            "piece-mib",
            "small-mib",
            "senders",
            "delay-ms",
            "max-delay-ms",
            "metadata-per-second",
            "metadata-flush-ms",
            "disk-mbps",
            "background-jobs",
            "max-seconds",
            "nodes",
            "dir");

    /**
     * From {@code --name value} pairs.
     *
     * @throws IllegalArgumentException when one is unknown or no number
     */
    static Settings parse(String[] args) {
        Map<String, String> given = new HashMap<>();
        for (int i = 0; i < args.length; i += 2) {
            String name = args[i].startsWith("--") ? args[i].substring(2) : "";
            if (!NAMES.contains(name) || i + 1 == args.length) {
                throw new IllegalArgumentException(
                        "expected --name value, of " + NAMES.stream().sorted().toList() + ", and not " + args[i]);
            }
            given.put(name, args[i + 1]);
        }
        List<Candidate> nodes = new ArrayList<>();
        for (String name : given.getOrDefault("nodes", "a,b,c,d").split(",", -1)) {
            nodes.add(Candidate.of(name));
        }
        return new Settings(
                new Rows(
                        (long) (real(given, "gb", 2) * 1e9),
                        whole(given, "seed", 20260301),
                        (int) (real(given, "primary-mib", 4) * MIB),
                        (int) (real(given, "secondary-mib", 0.25) * MIB),
                        given.getOrDefault("primary-order", "random")
                                .toLowerCase(Locale.ROOT)
                                .equals("key"),
                        (int) (real(given, "piece-mib", 2) * MIB)),
                (long) (real(given, "small-mib", 1) * MIB),
                (int) whole(given, "senders", 2),
                new Delay(whole(given, "delay-ms", 500), whole(given, "max-delay-ms", 5_000)),
                new Trickle((int) whole(given, "metadata-per-second", 20), whole(given, "metadata-flush-ms", 5_000)),
                new Disk((int) whole(given, "disk-mbps", 0), (int) whole(given, "background-jobs", 3)),
                whole(given, "max-seconds", 600),
                new Place(
                        nodes,
                        Path.of(given.getOrDefault("dir", System.getProperty("java.io.tmpdir") + "/sluice-gate"))));
    }

    private static double real(Map<String, String> given, String name, double otherwise) {
        String text = given.get(name);
        return text == null ? otherwise : Double.parseDouble(text);
    }

    private static long whole(Map<String, String> given, String name, long otherwise) {
        String text = given.get(name);
        return text == null ? otherwise : Long.parseLong(text);
    }
}
