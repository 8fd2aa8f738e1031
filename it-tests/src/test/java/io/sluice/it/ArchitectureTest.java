package io.sluice.it;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;

/** Permitted dependencies between packages. Every rule's reason has the alternative. */
@AnalyzeClasses(packages = "io.sluice", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String[] STAGES = {"source", "decode", "encode", "sort", "journal", "sst", "ship", "job"};

    @ArchTest
    static final ArchRule THE_API_DEPENDS_ON_NO_MODULE = noClasses()
            .that()
            .resideInAPackage("io.sluice.api..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.sluice.http..",
                    "io.sluice.node..",
                    "io.sluice.importer..",
                    "io.sluice.sampler..",
                    "io.sluice.service..",
                    "io.sluice.cli..")
            .because(
                    "importer and node depend on storage-api; move the needed type into io.sluice.api, or its user out of it");

    @ArchTest
    static final ArchRule THE_HTTP_SERVER_DEPENDS_ON_NO_USER = noClasses()
            .that()
            .resideInAPackage("io.sluice.http..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.sluice.node..",
                    "io.sluice.importer..",
                    "io.sluice.sampler..",
                    "io.sluice.service..",
                    "io.sluice.cli..")
            .because("it serves any server; let a server pass in its own behaviour");

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
    static final ArchRule THE_NODE_DOES_NOT_DEPEND_ON_THE_IMPORTER = noClasses()
            .that()
            .resideInAPackage("io.sluice.node..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.sluice.importer..", "io.sluice.sampler..", "io.sluice.service..", "io.sluice.cli..")
            .because("nodes and importers run apart; put what both need into io.sluice.api");

    @ArchTest
    static final ArchRule THE_IMPORTER_DOES_NOT_DEPEND_ON_THE_NODE = noClasses()
            .that()
            .resideInAPackage("io.sluice.importer..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.sluice.node..", "io.sluice.sampler..", "io.sluice.service..", "io.sluice.cli..")
            .because("the importer speaks to any io.sluice.api.node.NodeClient; take one as a parameter")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule NO_MODULE_DEPENDS_ON_THE_COMMAND_LINE = noClasses()
            .that()
            .resideOutsideOfPackage("io.sluice.cli..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.sluice.cli..")
            .because("the command line wires the others; let it pass in what you need");

    @ArchTest
    static final ArchRule ROCKSDB_HAS_FEW_USERS = noClasses()
            .that()
            .resideOutsideOfPackages("io.sluice.node..", "io.sluice.importer.sst..", "io.sluice.importer.shuffle..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.rocksdb..")
            .because(
                    "handles of native code need owners who close them in order; go through NodeClient, or write SSTs in "
                            + "io.sluice.importer.sst");

    @ArchTest
    static final ArchRule SQL_IS_PARSED_IN_ONE_PLACE = noClasses()
            .that()
            .resideOutsideOfPackages("io.sluice.api.schema..", "io.sluice.api.sql..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("net.sf.jsqlparser..")
            .because("io.sluice.api.schema turns DDL into TableDefs, io.sluice.api.sql statements into Statements; use"
                    + " those");

    @ArchTest
    static final ArchRule TRANSACTIONS_DO_NOT_DEPEND_ON_STATEMENTS = noClasses()
            .that()
            .resideInAPackage("io.sluice.node.transaction..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.sluice.node.distributed..", "io.sluice.node.sql..")
            .because("commits depend on keys only; let the caller of a transaction pass in values"
                    + ", or implement an interface that io.sluice.node.transaction declares");

    @ArchTest
    static final ArchRule DISTRIBUTED_TABLES_DO_NOT_DEPEND_ON_STATEMENTS = noClasses()
            .that()
            .resideInAPackage("io.sluice.node.distributed..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.sluice.node.sql..")
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
        for (int i = 0; i < STAGES.length - 1; i++) {
            List<String> later = new ArrayList<>();
            for (int j = i + 1; j < STAGES.length; j++) {
                later.add("io.sluice.importer." + STAGES[j] + "..");
            }
            noClasses()
                    .that()
                    .resideInAPackage("io.sluice.importer." + STAGES[i] + "..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(later.toArray(new String[0]))
                    .because(
                            "data flows source, decode, encode, sort, journal, sst, ship, job; let the later stage pass in an "
                                    + "interface that the earlier one declares")
                    .allowEmptyShould(true)
                    .check(classes);
        }
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
