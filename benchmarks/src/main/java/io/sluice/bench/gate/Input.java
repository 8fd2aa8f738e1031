package io.sluice.bench.gate;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A list of SSTs in the order in which they arrive, with their files, in one directory. */
final class Input {
    private static final String LIST = "list.jsonl";

    private final Path directory;
    private final List<InputSst> ssts;

    private Input(Path directory, List<InputSst> ssts) {
        this.directory = directory;
        this.ssts = List.copyOf(ssts);
    }

    static Input write(Path directory, List<InputSst> ssts) throws IOException {
        ObjectMapper json = new ObjectMapper();
        try (BufferedWriter writer = Files.newBufferedWriter(directory.resolve(LIST))) {
            for (InputSst sst : ssts) {
                writer.append(json.writeValueAsString(sst)).append('\n');
            }
        }
        return new Input(directory, ssts);
    }

    static Input read(Path directory) throws IOException {
        ObjectMapper json = new ObjectMapper();
        List<InputSst> ssts = new ArrayList<>();
        for (String line : Files.readAllLines(directory.resolve(LIST))) {
            ssts.add(json.readValue(line, InputSst.class));
        }
        return new Input(directory, ssts);
    }

    List<InputSst> ssts() {
        return ssts;
    }

    long fileBytes() {
        return ssts.stream().mapToLong(InputSst::fileBytes).sum();
    }

    /** Links all files into another directory, where a node may move and remove them. */
    void linkInto(Path other) throws IOException {
        Files.createDirectories(other);
        for (InputSst sst : ssts) {
            Files.createLink(other.resolve(sst.fileName()), directory.resolve(sst.fileName()));
        }
    }

    /** Reads all files once, so that every node finds them in the page cache. */
    void warm() throws IOException {
        byte[] buffer = new byte[1 << 20];
        for (InputSst sst : ssts) {
            try (var in = Files.newInputStream(directory.resolve(sst.fileName()))) {
                while (in.read(buffer) >= 0) {
                    // Reading does it.
                }
            }
        }
    }
}
