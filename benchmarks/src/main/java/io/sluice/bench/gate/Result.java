package io.sluice.bench.gate;

/**
 * Result of one node. Seconds count from the first SST offered.
 *
 * @param node its letter
 * @param title what it is
 * @param ssts SSTs offered
 * @param taken SSTs taken before the time was up
 * @param inputBytes length of all SSTs
 * @param importSeconds until the last SST was taken; negative: not in time
 * @param quietSeconds until nothing was left to merge; negative: not in time
 * @param longestWaitMillis longest time for which the node made one SST wait
 * @param waitedSeconds all that waiting
 * @param tallest most files above each other over a key
 * @param mostLevel0 most files in level 0
 * @param mostFiles most files in the tree
 * @param writeAmplification bytes written per byte that came, its own arrival counted once; negative: unknown
 * @param processBytes bytes this process wrote as the kernel counts them
 * @param takeP50Millis half of the SSTs were taken within this, waiting included
 * @param takeP99Millis 99 of 100 were
 * @param takeMaxMillis all were
 * @param reads point reads during the import
 * @param readsFound those that found their key
 * @param readP50Micros half of them took no longer
 * @param readP99Micros 99 of 100
 * @param metadataPuts metadata that came meanwhile
 * @param loadAverage of the machine at the end
 * @param verified what was checked afterwards
 * @param drawing the tree at its tallest
 */
record Result(
        String node,
        String title,
        int ssts,
        int taken,
        long inputBytes,
        double importSeconds,
        double quietSeconds,
        double longestWaitMillis,
        double waitedSeconds,
        int tallest,
        int mostLevel0,
        int mostFiles,
        double writeAmplification,
        long processBytes,
        double takeP50Millis,
        double takeP99Millis,
        double takeMaxMillis,
        long reads,
        long readsFound,
        double readP50Micros,
        double readP99Micros,
        long metadataPuts,
        double loadAverage,
        String verified,
        String drawing) {}
