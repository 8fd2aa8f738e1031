package io.sluice.client.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.api.node.RangeDirectory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Pictures of plans. A range is the nodes that have it, as letters: {@code ab} is on a and b. A copy is {@code range:
 * source>target}.
 */
class ReplicaPlanTest {
    /** A table of ranges that are of one size. */
    private static ReplicaPlan.Ranges table(String name, String picture, int replicas, long rangeBytes) {
        List<RangeDirectory.Range> ranges = new ArrayList<>();
        for (String range : picture.split(" ", -1)) {
            byte[] start = ranges.isEmpty() ? new byte[0] : new byte[] {(byte) ranges.size()};
            ranges.add(new RangeDirectory.Range(start, letters(range)));
        }
        return new ReplicaPlan.Ranges(name, new RangeDirectory(1, ranges).wanting(replicas), rangeBytes);
    }

    private static List<String> letters(String picture) {
        return picture.chars().mapToObj(Character::toString).toList();
    }

    private static String drawing(ReplicaPlan.Plan plan) {
        StringBuilder drawing = new StringBuilder();
        for (ReplicaPlan.Copy copy : plan.copies()) {
            drawing.append(drawing.isEmpty() ? "" : " ")
                    .append(copy.range())
                    .append(':')
                    .append(copy.source())
                    .append('>')
                    .append(copy.target());
        }
        plan.unrepairable().forEach((table, count) -> drawing.append(drawing.isEmpty() ? "" : " ")
                .append(count)
                .append(" short"));
        return drawing.toString();
    }

    @ParameterizedTest(name = "{0}: {2} x {3} on {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                //  what                                      | up   | ranges      | wanted | copies
                "nothing is missing                           | abc  | ab bc ca    | 2 | ''",
                "a node was removed, and a new one is empty   | abd  | ab b a      | 2 | 1:b>d 2:a>d",
                "the target has the fewest bytes              | abc  | ab ab a     | 2 | 2:a>c",
                "a target never has the range                 | ab   | a a         | 2 | 0:a>b 1:a>b",
                "sources take turns                           | abcd | ab ab ab ab | 3 | 0:a>c 1:b>d 2:a>c 3:b>d",
                "two replicas are missing                     | abc  | a           | 3 | 0:a>b 0:a>c",
                "a replica that is down counts as one         | ab   | bc ca       | 2 | ''",
                "a node that is down is neither               | bd   | ac bc b     | 3 | 1:b>d 2:b>d 2 short",
                "no source answers                            | bc   | a b         | 2 | 1:b>c 1 short",
                "too few nodes                                | ab   | ab a        | 3 | 1:a>b 2 short",
                "more replicas are wanted                     | abc  | ab bc       | 3 | 0:a>c 1:b>a",
                "fewer replicas are wanted                    | abc  | abc abc     | 2 | ''",
            })
    void planIs(String what, String up, String ranges, int wanted, String copies) {
        ReplicaPlan.Plan plan = ReplicaPlan.repair(letters(up), List.of(table("t", ranges, wanted, 100)), null, null);
        assertEquals(copies, drawing(plan), what);
    }

    /** Node a leaves: each of its ranges is copied to another node, also from a. */
    @ParameterizedTest(name = "{0}: {2} x {3} on {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "its ranges are copied          | abc  | ab bc a     | 1 | 2:a>c",
                "none of its ranges is short    | abc  | abc abc     | 2 | ''",
                "others are sources, too        | abcd | ab ab       | 2 | 0:a>c 1:b>d",
                "what was missing is copied too | abcd | a b         | 2 | 0:a>c 0:a>d 1:b>c",
                "too few nodes stay             | abc  | abc a       | 3 | 1:a>b 1:a>c 2 short",
                "it does not answer             | bc   | ab a        | 2 | 0:b>c 1 short",
            })
    void planWithoutALeavingNodeIs(String what, String up, String ranges, int wanted, String copies) {
        ReplicaPlan.Plan plan = ReplicaPlan.repair(letters(up), List.of(table("t", ranges, wanted, 100)), null, "a");
        assertEquals(copies, drawing(plan), what);
    }

    /** Node d takes the place of a lost one, though e is empty, too; what d has already goes to others. */
    @Test
    void preferredNodeComesFirst() {
        ReplicaPlan.Plan plan =
                ReplicaPlan.repair(letters("abcde"), List.of(table("t", "a b ad cd", 3, 100)), "d", null);
        assertEquals("0:a>d 0:a>e 1:b>d 1:b>c 2:d>b 3:c>e", drawing(plan));
    }

    /** The bytes of all tables count, and those of copies that are planned already. */
    @ParameterizedTest
    @CsvSource({"100, 1:a>c", "10000, 1:a>b"})
    void targetsHaveTheFewestBytesOfAllTables(long bytesOfTheOther, String copy) {
        List<ReplicaPlan.Ranges> tables =
                List.of(table("t", "ab a", 2, 1_000), table("other", "c", 1, bytesOfTheOther));
        assertEquals(copy, drawing(ReplicaPlan.repair(letters("abc"), tables, null, null)));
    }
}
