package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.error.BadInputException;
import io.sluice.api.node.RangeDirectory;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A range directory.
 *
 * @param epoch grows with every change
 * @param ranges in key order; empty when one node holds everything
 * @param addresses where the importer reached each node, by the node's id; null: not known
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DirectoryBody(
        long epoch,
        @Nullable List<RangeBody> ranges,
        @Nullable Map<String, String> addresses) {
    /** Printable ASCII: an address ends up in messages. */
    private static final Pattern ADDRESS = Pattern.compile("[!-~]{1,300}");

    /**
     * One range.
     *
     * @param start its first key in hexadecimal; it ends where the next range begins
     * @param nodes ids of the nodes that hold it
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
                directory.addresses().isEmpty() ? null : directory.addresses());
    }

    /**
     * The directory that this says.
     *
     * @throws BadInputException when ranges are missing, malformed or out of order, or an address is not printable
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
            return new RangeDirectory(epoch, all, nodes);
        } catch (IllegalArgumentException e) {
            throw new BadInputException("directory: " + e.getMessage(), e);
        }
    }
}
