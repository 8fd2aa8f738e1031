package io.sluice.importer.job;

import io.sluice.api.schema.Table;

/** What reading the input needs of an import: all that does not depend on where the KVs go. */
record Reading(Table table, ImportSettings settings, MemoryPlan memory, ImportProgress progress) {}
