package io.sluice.cli.imports;

import java.lang.management.ManagementFactory;

/** How much memory there is to plan with. */
final class MachineMemory {
    private MachineMemory() {}

    /** Memory of the machine or of the container this process is confined to, in bytes. */
    static long bytes() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean machine
                ? machine.getTotalMemorySize()
                : 2 * Runtime.getRuntime().maxMemory();
    }
}
