package io.sluice.cli.lsm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes a page of a simulated import for inspection: {@code DemoPage EVENTS SEED FILE}. */
final class DemoPage {
    private DemoPage() {}

    public static void main(String[] args) throws IOException {
        Path store = Files.createTempDirectory("lsm-demo");
        SimulatedTree.write(store, Integer.parseInt(args[0]), Long.parseLong(args[1]));
        Subject subject = Subject.ofStore(store, null, null);
        HtmlPage.write(Path.of(args[2]), subject.title(), PageData.json(subject, Long.MAX_VALUE), System.err);
    }
}
