package io.sluice.it.support;

import io.sluice.testing.FreePorts;
import io.sluice.testing.ObjectStore;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Class data archive of what an import, a node, a member of a cluster and a statement load. Each is practised once, all
 * at the same time, because tests wait for the archive.
 *
 * @param command starts the program, up to the name of the main class
 * @param environment environment variables for it
 * @param directory where the archive goes, and RocksDB's library lies
 */
record ClassArchive(List<String> command, Map<String, String> environment, Path directory) {
    static final String NAME = "classes.jsa";

    private static final long PATIENCE_SECONDS = 60;
    private static final long POLL_MILLIS = 20;

    /** Makes the archive. */
    void make() throws Exception {
        Files.writeString(directory.resolve("t.sql"), "CREATE TABLE t (id INT PRIMARY KEY, s STRING, INDEX by_s (s));");
        Files.writeString(directory.resolve("t.csv"), "1,a\n2,b\n");
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Callable<Boolean>> practices =
                    List.of(this::practiseStore, this::practiseNode, this::practiseObjects, this::practiseMember);
            for (Future<Boolean> practice : threads.invokeAll(practices)) {
                practice.get();
            }
        } finally {
            threads.shutdownNow();
        }
        Set<String> classes = new LinkedHashSet<>();
        try (DirectoryStream<Path> lists = Files.newDirectoryStream(directory, "*.classes")) {
            for (Path list : lists) {
                classes.addAll(Files.readAllLines(list));
            }
        }
        Path all = Files.write(directory.resolve("classes"), classes);
        boolean unused = end(
                run("dump", "-Xshare:dump", "-XX:SharedClassListFile=" + all, "-XX:SharedArchiveFile=" + file(NAME)));
    }

    private String file(String name) {
        return directory.resolve(name).toString();
    }

    private boolean practiseStore() throws IOException, InterruptedException {
        return end(practise("import", "import", "--schema", file("t.sql"), "--store", file("store"), file("t.csv")))
                && end(practise("tables", "tables", "--store", file("store")));
    }

    private boolean practiseNode() throws IOException, InterruptedException {
        Process node = practise("node", "node", "--listen", "127.0.0.1:0", "--store", file("of-node"));
        try {
            String url = url(node, "node");
            return end(practise("client", "import", "--schema", file("t.sql"), "--nodes", url, file("t.csv")))
                    && end(practise("digest", "digest", "t", "--nodes", url))
                    && end(practise("sql", "sql", "-e", "SELECT * FROM t", "--nodes", url));
        } finally {
            node.destroy();
            boolean unused = end(node);
        }
    }

    private boolean practiseObjects() throws Exception {
        try (ObjectStore objects = new ObjectStore(Files.createDirectory(directory.resolve("objects")))) {
            objects.put("bucket", "t.csv", Files.readAllBytes(directory.resolve("t.csv")));
            List<String> words = new ArrayList<>(ObjectStore.credentials());
            words.addAll(List.of(QuickStart.MAIN, "import", "--schema", file("t.sql"), "--store", file("of-objects")));
            words.addAll(objects.options());
            words.add("s3://bucket/t.csv");
            return end(listing("objects", words));
        }
    }

    private boolean practiseMember() throws IOException, InterruptedException {
        String address = FreePorts.nextAddress();
        String raft = FreePorts.nextAddress();
        Process member = practise(
                "member",
                "node",
                "--listen",
                address,
                "--cluster",
                address,
                "--raft-listen",
                raft,
                "--store",
                file("of-member"));
        try {
            return end(practise("status", "cluster", "status", "--nodes", url(member, "member")));
        } finally {
            member.destroy();
            boolean unused = end(member);
        }
    }

    /** Starts the program; it lists the classes that it loads, and its output goes to files. */
    private Process practise(String name, String... arguments) throws IOException {
        return listing(
                name,
                Stream.concat(Stream.of(QuickStart.MAIN), Stream.of(arguments)).toList());
    }

    private Process listing(String name, List<String> words) throws IOException {
        List<String> practice = new ArrayList<>(
                List.of("-Djava.library.path=" + directory, "-XX:DumpLoadedClassList=" + file(name + ".classes")));
        practice.addAll(words);
        return run(name, practice.toArray(new String[0]));
    }

    private Process run(String name, String... words) throws IOException {
        List<String> all = new ArrayList<>(command);
        all.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(all)
                .redirectOutput(directory.resolve(name + ".out").toFile())
                .redirectError(directory.resolve(name + ".err").toFile());
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** Waits for a process, and kills it if it does not end by itself. */
    private static boolean end(Process process) throws InterruptedException {
        boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (!ended) {
            process.destroyForcibly();
        }
        return ended;
    }

    private String url(Process node, String name) throws IOException, InterruptedException {
        String said = "";
        while (node.isAlive() && !said.endsWith("\n")) {
            Thread.sleep(POLL_MILLIS);
            said = Files.readString(directory.resolve(name + ".out"));
        }
        return said.strip().replace("ready ", "");
    }
}
