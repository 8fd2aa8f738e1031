package io.sluice.cli.memory;

import java.lang.management.ManagementFactory;

/** Determines the available memory. */
public final class MachineMemory {
    private MachineMemory() {}

    /** Memory of the machine, or of this process's container, in bytes. */
    public static long bytes() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean machine
                ? machine.getTotalMemorySize()
                : 2 * Runtime.getRuntime().maxMemory();
    }
}
