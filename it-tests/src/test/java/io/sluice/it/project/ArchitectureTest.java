package io.sluice.it.project;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;

/**
 * Permitted dependencies between packages of one module; Maven permits those between modules. Every rule's reason has
 * the alternative.
 */
@AnalyzeClasses(packages = "io.sluice", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String[] STAGES = {"source", "decode", "encode", "sort", "journal", "sst", "ship", "job"};

    @ArchTest
    static final ArchRule ONLY_SERVERS_USE_HTTP_CLASSES = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "io.sluice.http..", "io.sluice.node.http..", "io.sluice.service..", "io.sluice.cli..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.sluice.http..", "com.linecorp.armeria.server..")
            .because("handlers parse requests; pass on their values, not the requests");

    @ArchTest
    static final ArchRule ROCKSDB_HAS_FEW_USERS = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "io.sluice.engine..", "io.sluice.node..", "io.sluice.importer.sst..", "io.sluice.testing..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.rocksdb..")
            .because(
                    "handles of native code need owners who close them in order; go through NodeClient, or write SSTs in "
                            + "io.sluice.importer.sst");

    @ArchTest
    static final ArchRule TRANSACTIONS_DO_NOT_DEPEND_ON_STATEMENTS = noClasses()
            .that()
            .resideInAPackage("io.sluice.sql.transaction..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.sluice.sql", "io.sluice.sql.apply..", "io.sluice.sql.distributed..")
            .because("commits depend on keys only; let the caller of a transaction pass in values"
                    + ", or implement an interface that io.sluice.sql.transaction declares");

    @ArchTest
    static final ArchRule DISTRIBUTED_TABLES_DO_NOT_DEPEND_ON_STATEMENTS = noClasses()
            .that()
            .resideInAPackage("io.sluice.sql.distributed..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.sluice.sql", "io.sluice.sql.apply..")
            .because("statements do not know where tables lie, nor the other way round; let the engine pass in what is"
                    + " needed");

    @ArchTest
    static final ArchRule RANDOMNESS_IS_PASSED_IN = noClasses()
            .should()
            .callConstructorWhere(new DescribedPredicate<JavaConstructorCall>("it makes a java.util.Random") {
                @Override
                public boolean test(JavaConstructorCall call) {
                    return call.getTargetOwner().isEquivalentTo(Random.class);
                }
            })
            .orShould()
            .callMethod(Math.class, "random")
            .because("a run must be repeatable; take a seed and use a generator that starts from it")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule TIME_IS_PASSED_IN = noClasses()
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(java.time.Instant.class, "now")
            .because("tests set the time; take a java.time.Clock (for durations System.nanoTime is fine)")
            .allowEmptyShould(true);

    /** Stages of the data path, in order: each may use those before it, {@code job} all of them. */
    @ArchTest
    static void stagesUseEarlierStagesOnly(com.tngtech.archunit.core.domain.JavaClasses classes) {
        useEarlierOnly(
                classes,
                "io.sluice.importer.",
                STAGES,
                "data flows source, decode, encode, sort, journal, sst, ship, job; let the later stage pass in an "
                        + "interface that the earlier one declares");
    }

    /** Packages of an import, in order: each may use those before it. */
    @ArchTest
    static void packagesOfAnImportUseEarlierOnesOnly(com.tngtech.archunit.core.domain.JavaClasses classes) {
        useEarlierOnly(
                classes,
                "io.sluice.importer.job.",
                new String[] {"read", "resume", "output", "verify", "report", "attempt", "staged"},
                "a package of an import knows nothing of the later ones");
    }

    private static void useEarlierOnly(
            com.tngtech.archunit.core.domain.JavaClasses classes, String prefix, String[] packages, String reason) {
        for (int i = 0; i < packages.length - 1; i++) {
            List<String> later = new ArrayList<>();
            for (int j = i + 1; j < packages.length; j++) {
                later.add(prefix + packages[j] + "..");
            }
            noClasses()
                    .that()
                    .resideInAPackage(prefix + packages[i] + "..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(later.toArray(new String[0]))
                    .because(reason)
                    .allowEmptyShould(true)
                    .check(classes);
        }
    }

    /** A step that the workflow does not name runs on no machine. */
    @ArchTest
    static void workflowRunsEveryNightlyStep(com.tngtech.archunit.core.domain.JavaClasses unused) throws IOException {
        String script = Files.readString(Path.of("..", ".ci", "nightly"));
        String workflow = Files.readString(Path.of("..", ".github", "workflows", "nightly.yml"));
        assertEquals(
                between(script, "\nsteps=(", ")"),
                between(workflow, " step: [", "]").replace(",", ""));
    }

    private static String between(String text, String start, String end) {
        int from = text.indexOf(start) + start.length();
        return text.substring(from, text.indexOf(end, from));
    }

    @ArchTest
    static final ArchRule PACKAGES_HAVE_A_DESCRIPTION = ArchRuleDefinition.classes()
            .should(new ArchCondition<JavaClass>("lie in a package with a @NullMarked package-info") {
                @Override
                public void check(JavaClass item, ConditionEvents events) {
                    JavaPackage room = item.getPackage();
                    boolean marked = room.isAnnotatedWith(NullMarked.class);
                    events.add(new SimpleConditionEvent(
                            item,
                            marked,
                            room.getName() + " has no package-info.java with @NullMarked (" + item.getName() + ")"));
                }
            })
            .because(
                    "its javadoc tells a reader what the room is for, and the compiler checks nulls only where it is marked");
}
