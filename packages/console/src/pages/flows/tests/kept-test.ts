import type { Scenario } from '@offhook/contract/assistant/scenario.ts'
import type { OutputOf } from '#api/use-service.ts'
import type { TestRun } from '#lazy-parts/scenarios/use-test-run.ts'

export type StoredTest = OutputOf<'listScenarios'>['items'][number]

/** As it would stand in a file, without what the service adds. */
export const scenarioOf = ({ required: _required, updatedAt: _updatedAt, ...scenario }: StoredTest): Scenario => scenario

/** What came of a test when it was last run. `runs`: the newest first. */
export const lastStateOf = ({ name }: Pick<StoredTest, 'name'>, runs: readonly TestRun[]): TestRun['reports'][number]['state'] | undefined =>
  runs.flatMap(({ reports }) => reports).find((report) => report.name === name)?.state
