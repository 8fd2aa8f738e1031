package io.sluice.cli.memory;

import java.lang.management.ManagementFactory;

/** How much memory there is to plan with. */
public final class MachineMemory {
    private MachineMemory() {}

    /** Memory of the machine or of the container this process is confined to, in bytes. */
    public static long bytes() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean machine
                ? machine.getTotalMemorySize()
                : 2 * Runtime.getRuntime().maxMemory();
    }
}
