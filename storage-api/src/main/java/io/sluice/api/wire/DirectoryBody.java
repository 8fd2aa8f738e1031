package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.node.RangeDirectory;
import io.sluice.model.error.BadInputException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A range directory, as JSON.
 *
 * @param epoch grows with every change
 * @param ranges in key order; empty if one node holds all keys
 * @param addresses the address at which the importer reached each node, by node id; null: unknown
 * @param replicas number of nodes that each range should be on; null: as many as the range with the most nodes
 * @param uncounted ids of lost nodes whose counts of changes are missing in the table's checksums; null: none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DirectoryBody(
        long epoch,
        @Nullable List<RangeBody> ranges,
        @Nullable Map<String, String> addresses,
        @Nullable Integer replicas,
        @Nullable Set<String> uncounted) {
    /** Printable ASCII only, because addresses are printed in messages. */
    private static final Pattern ADDRESS = Pattern.compile("[!-~]{1,300}");

    /**
     * One key range.
     *
     * @param start first key in hexadecimal; the range ends where the next one begins
     * @param nodes ids of the nodes that hold the range
     */
    public record RangeBody(
            @Nullable String start, @Nullable List<String> nodes) {
        RangeDirectory.Range toRange() {
            return new RangeDirectory.Range(
                    Wire.key("start", Wire.required("start", start)), Wire.required("nodes", nodes));
        }
    }

    public static DirectoryBody of(RangeDirectory directory) {
        return new DirectoryBody(
                directory.epoch(),
                directory.ranges().stream()
                        .map(range -> new RangeBody(Wire.hex(range.start()), range.nodes()))
                        .toList(),
                directory.addresses().isEmpty() ? null : directory.addresses(),
                directory.replicas() == 0 ? null : directory.replicas(),
                directory.uncounted().isEmpty() ? null : directory.uncounted());
    }

    /**
     * Parses the directory.
     *
     * @throws BadInputException if ranges are missing, malformed or out of order, or an address is not printable
     */
    public RangeDirectory toDirectory() {
        List<RangeDirectory.Range> all =
                Wire.required("ranges", ranges).stream().map(RangeBody::toRange).toList();
        Map<String, String> nodes = addresses == null ? Map.of() : addresses;
        for (Map.Entry<String, String> each : nodes.entrySet()) {
            if (each.getValue() == null || !ADDRESS.matcher(each.getValue()).matches()) {
                throw new BadInputException("addresses: each must be 1 to 300 printable ASCII characters");
            }
        }
        try {
            return new RangeDirectory(
                    epoch, all, nodes, replicas == null ? 0 : replicas, uncounted == null ? Set.of() : uncounted);
        } catch (IllegalArgumentException e) {
            throw new BadInputException("directory: " + e.getMessage(), e);
        }
    }
}
