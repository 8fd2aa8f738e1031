package io.sluice.bench.gate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.model.file.DurableFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.rocksdb.RocksDBException;

/**
 * The experiment that shows what the gate is for. Small reader buffers make many SSTs that overlap; they arrive, the
 * same ones in the same order, at one node after the other, while metadata trickles and rows are read:
 *
 * <ul>
 *   <li>(a) RocksDB with its own compaction and backpressure by the number of files in level 0;
 *   <li>(b) the same, but SSTs below 1 MiB become Puts;
 *   <li>(c) the same, and metadata has a column family of its own;
 *   <li>(d) the storage node, with SSTs cut at common keys; (d') without that.
 * </ul>
 *
 * <p>SSTs are written once, beforehand, and linked for each node. Every node runs in a JVM of its own with the SSTs in
 * the page cache. Results are printed as Markdown and as lines of JSON; the trees at their tallest are drawn.
 *
 * <p>{@code java -Xmx1g -cp "benchmarks/target/classes:benchmarks/target/lib/*" io.sluice.bench.gate.GateExperiment
 * --gb 2 --nodes a,b,c,d}
 *
 * <p>See {@link Settings} for the other parameters.
 */
public final class GateExperiment {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String CHILD = "--child";
    private static final String RESULT = "RESULT ";
    /** Extra time of a node to open, to close and to be verified. */
    private static final long GRACE_SECONDS = 120;

    private final String[] args;
    private final Settings settings;
    private final PrintStream out;

    private GateExperiment(String[] args, PrintStream out) {
        this.args = args;
        this.out = out;
        settings = Settings.parse(args);
    }

    /** Runs the experiment. */
    public static void main(String[] args) throws IOException, InterruptedException, RocksDBException {
        if (args.length > 0 && args[0].equals(CHILD)) {
            runNode(args);
            return;
        }
        new GateExperiment(args, System.out).run();
    }

    /** {@code --child node input directory tableId settings...}. */
    private static void runNode(String[] args) throws IOException, RocksDBException {
        Settings settings = Settings.parse(Arrays.copyOfRange(args, 5, args.length));
        NodeRun run = new NodeRun(
                settings, Candidate.of(args[1]), Path.of(args[2]), Path.of(args[3]), Integer.parseInt(args[4]));
        run.run(result -> {
            System.out.println(RESULT + line(result));
            if (result.arrival().quietSeconds() < 0) {
                // Closing would wait for what had no time left.
                Runtime.getRuntime().halt(0);
            }
        });
    }

    private void run() throws IOException, InterruptedException {
        Path root = settings.place().directory();
        if (Files.exists(root)) {
            throw new IllegalArgumentException(root + " exists; name a directory that does not, with --dir");
        }
        Files.createDirectories(root);
        try {
            out.println(settings);
            int tableId = SluiceNode.tableId(root.resolve("scratch"));
            Path whole = root.resolve("whole");
            Path cut = root.resolve("cut");
            writeInput(tableId, whole, cut);
            List<Result> results = new ArrayList<>();
            for (Candidate candidate : settings.place().nodes()) {
                Path input = candidate.cut() ? cut : whole;
                Input.read(input).warm();
                results.add(runInChild(candidate, input, root.resolve("node"), tableId));
            }
            print(results);
        } finally {
            DurableFiles.deleteTree(root);
        }
    }

    private void writeInput(int tableId, Path whole, Path cut) throws IOException {
        long begun = System.nanoTime();
        try (InputWriter writer = new InputWriter(settings, tableId, whole, cut)) {
            writer.run();
        }
        Input all = Input.read(whole);
        out.printf(
                "%d SSTs, %.2f GB; %d when cut; written in %.0f s%n",
                all.ssts().size(),
                all.fileBytes() / 1e9,
                Input.read(cut).ssts().size(),
                (System.nanoTime() - begun) / 1e9);
    }

    private Result runInChild(Candidate candidate, Path input, Path directory, int tableId)
            throws IOException, InterruptedException {
        Files.createDirectory(directory);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-cp",
                System.getProperty("java.class.path"),
                GateExperiment.class.getName(),
                CHILD,
                candidate.letter(),
                input.toString(),
                directory.toString(),
                Integer.toString(tableId)));
        command.addAll(List.of(args));
        Process child = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Thread killer = killer(child);
        String result = "";
        try (BufferedReader lines = child.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(RESULT)) {
                    result = line.substring(RESULT.length());
                } else {
                    out.println(line);
                }
            }
        } finally {
            killer.interrupt();
        }
        child.waitFor();
        DurableFiles.deleteTree(directory);
        if (result.isEmpty()) {
            throw new IllegalStateException("node " + candidate.letter() + " died, exit code " + child.exitValue());
        }
        Result parsed = JSON.readValue(result, Result.class);
        out.printf(
                "(%s) import %.1f s, quiet %.1f s%n",
                parsed.node(),
                parsed.arrival().importSeconds(),
                parsed.arrival().quietSeconds());
        return parsed;
    }

    private Thread killer(Process child) {
        Thread killer = new Thread(() -> {
            try {
                if (!child.waitFor(settings.maxSeconds() + GRACE_SECONDS, TimeUnit.SECONDS)) {
                    child.destroyForcibly();
                }
            } catch (InterruptedException e) {
                // The node is done.
            }
        });
        killer.setDaemon(true);
        killer.start();
        return killer;
    }

    private void print(List<Result> results) {
        for (Result result : results) {
            out.println("\n(" + result.node() + ") at its tallest:\n"
                    + result.tree().drawing());
        }
        Result.Table table = new Result.Table(results);
        out.println(table.markdown());
        for (Result result : results) {
            out.println(line(result));
        }
    }

    private static String line(Result result) {
        try {
            return JSON.writeValueAsString(result);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
