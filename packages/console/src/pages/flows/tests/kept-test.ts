import type { OutputOf } from '#api/use-service.ts'
import type { Scenario } from '@offhook/contract/assistant/scenario.ts'
import type { TestRun } from '#lazy-parts/scenarios/use-test-run.ts'

export type StoredTest = OutputOf<'listScenarios'>['items'][number]

/** As in a file, without the service's fields. */
export const scenarioOf = ({ required: _required, updatedAt: _updatedAt, ...scenario }: StoredTest): Scenario => scenario

/** Result of a test's last run. `runs`: newest first. */
export const lastStateOf = (
  { name }: Pick<StoredTest, 'name'>,
  runs: readonly TestRun[],
): TestRun['reports'][number]['state'] | undefined => runs.flatMap(({ reports }) => reports).find((report) => report.name === name)?.state
