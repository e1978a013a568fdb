import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

export interface Outcome {
  passed: number
  failed: number
  skipped: number
  /** Files with a failed test. */
  failedFiles: string[]
  /** Failed tests with their reasons: printed last, so that they are easy to find. */
  reasons: string[]
}

/** Reporter for `test/run.ts`: counts and failed files as JSON. */
// oxlint-disable-next-line import/no-default-export -- node:test loads reporters by their default export.
export default async function* outcome(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const failedFiles = new Set<string>()
  const reasons: string[] = []
  for await (const event of source) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    if (event.type === 'test:fail') failedFiles.add(event.data.file ?? event.data.name)
    if (event.data.details.type === 'suite') continue
    if (event.data.skip !== undefined) counts.skipped++
    else if (event.type === 'test:pass') counts.passed++
    else {
      counts.failed++
      reasons.push(`${event.data.name}\n${inspect(event.data.details.error.cause ?? event.data.details.error)}`)
    }
  }
  yield JSON.stringify({ ...counts, failedFiles: [...failedFiles], reasons } satisfies Outcome)
}
