package io.sluice.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Marks a class of slow tests of which a run takes so many, chosen by its seed, and skips the rest. The profile
 * {@code long} takes all, and so does a run that names its tests.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(SomeTests.Choice.class)
public @interface SomeTests {
    /** Number of test methods. */
    int value();

    /** Chooses the methods. */
    final class Choice implements ExecutionCondition {
        private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
        private static final boolean NAMED =
                System.getProperty("test") != null || System.getProperty("it.test") != null;

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            Class<?> tests = context.getRequiredTestClass();
            SomeTests some = tests.getAnnotation(SomeTests.class);
            if (NAMED || some == null || context.getTestMethod().isEmpty()) {
                return ConditionEvaluationResult.enabled("all tests of the class run");
            }
            List<Method> all = Arrays.stream(tests.getDeclaredMethods())
                    .filter(method -> AnnotationSupport.isAnnotated(method, Testable.class))
                    .sorted(Comparator.comparing(Method::getName))
                    .toList();
            return Cases.some(SEED, some.value(), all).contains(context.getRequiredTestMethod())
                    ? ConditionEvaluationResult.enabled("this run takes it")
                    : ConditionEvaluationResult.disabled("this run takes " + some.value() + " of the " + all.size()
                            + " tests of the class; -Dit.test=" + tests.getSimpleName() + " and -Plong take all");
        }
    }
}
