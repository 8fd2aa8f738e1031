package io.sluice.service.observe;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.Files;
import java.nio.file.Path;

/** Metrics of the process's memory and of the configured budget. */
public final class ProcessMemory {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final long KIB = 1024;

    private ProcessMemory() {}

    public static void add(MeterRegistry metrics, long budgetBytes) {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        Gauge.builder("sluice.service.memory.budget.bytes", () -> budgetBytes)
                .description("Memory budget of all jobs together")
                .register(metrics);
        Gauge.builder("sluice.service.memory.heap.used.bytes", () -> memory.getHeapMemoryUsage()
                        .getUsed())
                .description("Heap in use, garbage included")
                .register(metrics);
        Gauge.builder("sluice.service.memory.heap.committed.bytes", () -> memory.getHeapMemoryUsage()
                        .getCommitted())
                .description("Heap that the process has taken from the machine")
                .register(metrics);
        if (Files.isReadable(STATUS)) {
            Gauge.builder("sluice.service.memory.resident.bytes", () -> bytes("VmRSS:"))
                    .description("Resident memory of the process, mapped files included")
                    .register(metrics);
            Gauge.builder("sluice.service.memory.anonymous.bytes", () -> bytes("RssAnon:"))
                    .description("Resident memory of the process that is no file's")
                    .register(metrics);
        }
    }

    private static double bytes(String name) {
        try {
            for (String line : Files.readAllLines(STATUS)) {
                if (line.startsWith(name)) {
                    return Long.parseLong(line.replaceAll("[^0-9]", "")) * (double) KIB;
                }
            }
            return Double.NaN;
        } catch (IOException e) {
            return Double.NaN;
        }
    }
}
