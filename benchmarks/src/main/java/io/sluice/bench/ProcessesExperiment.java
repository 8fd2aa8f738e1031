package io.sluice.bench;

import io.sluice.model.file.DurableFiles;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Whole imports of TPC-C stock as processes, from the start of the JVM to its end, each into new stores, in turn. They
 * run {@code ./sluice} of the working directory, so that its options and caches count. One round is thrown away. It
 * prints a row of a Markdown table for each case: medians, ranges, and ratios to the first case of the same round.
 *
 * <p>{@code java -cp "benchmarks/target/classes:benchmarks/target/lib/*" io.sluice.bench.ProcessesExperiment WAREHOUSES
 * ROUNDS CASE…}, for instance {@code 40 3 direct direct,nodes=1 direct,nodes=3}. A case is a mode, with any of these:
 *
 * <ul>
 *   <li>{@code nodes=N}: into N node processes on loopback, instead of an embedded node
 *   <li>{@code shuffled}: rows in random order
 *   <li>{@code memory=SIZE}: as the option of that name
 * </ul>
 *
 * <p>A case {@code run=COMMAND} is another program, such as {@code "run=pebimp -in FILE -dir DIRECTORY"}, where the
 * words FILE and DIRECTORY are replaced; {@code ",shuffled"} may follow.
 *
 * <p>CPU is user and system time. That of an importer is what the kernel adds to this process's ended children.
 */
public final class ProcessesExperiment {
    private static final String LAUNCHER = "./sluice";
    private static final String SHUFFLED = "shuffled";
    private static final String RUN = "run=";
    private static final long LOOK_MILLIS = 50;

    private final PrintStream out;
    private final StockFile ordered;
    private final StockFile shuffled;

    private ProcessesExperiment(PrintStream out, StockFile ordered, StockFile shuffled) {
        this.out = out;
        this.ordered = ordered;
        this.shuffled = shuffled;
    }

    /** One import: seconds, and the most memory that the importer had resident. */
    private record Run(double wall, double importerCpu, double nodesCpu, double peakGigabytes) {
        double cpu() {
            return importerCpu + nodesCpu;
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        int warehouses = Integer.parseInt(args[0]);
        int rounds = Integer.parseInt(args[1]);
        List<String> cases = List.of(args).subList(2, args.length);
        StockFile ordered = StockFile.make(warehouses, false);
        StockFile shuffled = cases.stream().anyMatch(each -> words(each).contains(SHUFFLED))
                ? StockFile.make(warehouses, true)
                : ordered;
        try {
            new ProcessesExperiment(System.out, ordered, shuffled).run(cases, rounds);
        } finally {
            ordered.delete();
            shuffled.delete();
        }
    }

    private static List<String> words(String text) {
        return Arrays.asList(text.split(",", -1));
    }

    private void run(List<String> cases, int rounds) throws IOException, InterruptedException {
        List<List<Run>> runs = new ArrayList<>();
        cases.forEach(each -> runs.add(new ArrayList<>()));
        for (int round = 0; round <= rounds; round++) {
            for (int i = 0; i < cases.size(); i++) {
                Run run = run(cases.get(i));
                if (round > 0) {
                    runs.get(i).add(run);
                }
            }
        }
        out.println("| case | wall s | CPU s, importer + nodes | wall to the first | CPU to the first | peak, GB |");
        out.println("|---|---|---|---|---|---|");
        for (int i = 0; i < cases.size(); i++) {
            List<Run> own = runs.get(i);
            List<Run> first = runs.get(0);
            double[] wall = own.stream().mapToDouble(Run::wall).toArray();
            double[] importer = own.stream().mapToDouble(Run::importerCpu).toArray();
            double[] nodes = own.stream().mapToDouble(Run::nodesCpu).toArray();
            double[] wallRatios = new double[rounds];
            double[] cpuRatios = new double[rounds];
            for (int round = 0; round < rounds; round++) {
                wallRatios[round] = wall[round] / first.get(round).wall();
                cpuRatios[round] = own.get(round).cpu() / first.get(round).cpu();
            }
            double[] peak = own.stream().mapToDouble(Run::peakGigabytes).toArray();
            out.printf(
                    Locale.ROOT,
                    "| %s | %s | %.1f + %.1f | %s | %s | %.2f |%n",
                    cases.get(i).replace("|", "\\|"),
                    text(wall, 1),
                    median(importer),
                    median(nodes),
                    text(wallRatios, 2),
                    text(cpuRatios, 2),
                    median(peak));
        }
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static String text(double[] values, int digits) {
        String form = "%." + digits + "f (%." + digits + "f to %." + digits + "f)";
        return String.format(
                Locale.ROOT,
                form,
                median(values),
                Arrays.stream(values).min().orElseThrow(),
                Arrays.stream(values).max().orElseThrow());
    }

    private Run run(String what) throws IOException, InterruptedException {
        List<String> words = words(what);
        StockFile stock = words.contains(SHUFFLED) ? shuffled : ordered;
        Path directory = Files.createTempDirectory("sluice-processes");
        List<SluiceProcess> nodes = new ArrayList<>();
        try {
            List<String> addresses = new ArrayList<>();
            for (int i = 0; i < number(words, "nodes=", 0); i++) {
                List<String> node = List.of(
                        "node", "--store", directory.resolve("node-" + i).toString(), "--listen", "127.0.0.1:0");
                SluiceProcess started = SluiceProcess.launched(LAUNCHER, node);
                nodes.add(started);
                addresses.add(started.address());
            }
            List<String> command = command(words, stock, directory, addresses);
            long nodesBefore = cpuMillis(nodes);
            long childrenBefore = ProcessIo.childrenCpuMillis();
            long start = System.nanoTime();
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            long peak = 0;
            while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                peak = Math.max(peak, ProcessIo.peakBytes(process.pid()));
            }
            double wall = (System.nanoTime() - start) / 1e9;
            if (process.exitValue() != 0) {
                throw new IOException("exit code " + process.exitValue() + " of " + command);
            }
            double importer = (ProcessIo.childrenCpuMillis() - childrenBefore) / 1e3;
            return new Run(wall, importer, (cpuMillis(nodes) - nodesBefore) / 1e3, peak / 1e9);
        } finally {
            nodes.forEach(SluiceProcess::close);
            DurableFiles.deleteTree(directory);
        }
    }

    private static List<String> command(List<String> words, StockFile stock, Path directory, List<String> addresses) {
        if (words.get(0).startsWith(RUN)) {
            return Arrays.stream(words.get(0).substring(RUN.length()).split(" +", -1))
                    .map(word -> word.replace("FILE", stock.csv().toString())
                            .replace("DIRECTORY", directory.resolve("other").toString()))
                    .toList();
        }
        List<String> command = new ArrayList<>(List.of(
                LAUNCHER,
                "import",
                "--quiet",
                "--schema",
                stock.directory().resolve("stock.sql").toString(),
                "--mode",
                words.get(0)));
        command.addAll(
                addresses.isEmpty()
                        ? List.of("--store", directory.resolve("store").toString())
                        : List.of("--nodes", String.join(",", addresses)));
        words.stream()
                .filter(word -> word.startsWith("memory="))
                .forEach(word -> command.addAll(List.of("--memory", word.substring("memory=".length()))));
        command.add(stock.csv().toString());
        return command;
    }

    private static int number(List<String> words, String name, int otherwise) {
        return words.stream()
                .filter(word -> word.startsWith(name))
                .mapToInt(word -> Integer.parseInt(word.substring(name.length())))
                .findFirst()
                .orElse(otherwise);
    }

    private static long cpuMillis(List<SluiceProcess> nodes) {
        return nodes.stream().mapToLong(SluiceProcess::cpuMillis).sum();
    }
}
