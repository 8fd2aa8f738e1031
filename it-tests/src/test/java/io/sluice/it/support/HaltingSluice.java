package io.sluice.it.support;

import io.sluice.cli.Sluice;
import io.sluice.cli.output.Console;
import io.sluice.node.ingest.FaultPoints;
import java.io.File;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The program in a process that halts at a durable step of an import, as if it were killed. It takes the place of the
 * main class in processes of tests; the program itself has no such option.
 */
public final class HaltingSluice {
    private static final String PROPERTY = "sluice.halt.at";

    private HaltingSluice() {}

    /**
     * The JVM's options for a process that halts.
     *
     * @param point the step, and after a colon how many times the process must reach it
     */
    public static List<String> at(String point) {
        String classes = HaltingSluice.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
        return List.of("-D" + PROPERTY + "=" + point, "-cp", QuickStart.CLASS_PATH + File.pathSeparator + classes);
    }

    /** The main class for these options of the JVM. */
    static String mainClass(List<String> jvmOptions) {
        boolean halts = jvmOptions.stream().anyMatch(option -> option.startsWith("-D" + PROPERTY + "="));
        return halts ? HaltingSluice.class.getName() : QuickStart.MAIN;
    }

    public static void main(String[] args) {
        String[] at = System.getProperty(PROPERTY).split(":", 2);
        AtomicInteger left = new AtomicInteger(at.length > 1 ? Integer.parseInt(at[1]) : 1);
        FaultPoints halting = point -> {
            if (point.equals(at[0]) && left.decrementAndGet() == 0) {
                Runtime.getRuntime().halt(SluiceProcess.KILLED);
            }
        };
        System.exit(Sluice.run(Console.ofProcess(), halting, args));
    }
}
