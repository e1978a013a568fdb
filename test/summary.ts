import type { TestEvent } from 'node:test/reporters'

/** One closing line that says it all, for people and for CI. */
// oxlint-disable-next-line import/no-default-export -- node:test loads reporters by their default export.
export default async function* summary(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for await (const event of source) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    if (event.data.details.type === 'suite') continue
    if (event.data.skip !== undefined) counts.skipped++
    else if (event.type === 'test:pass') counts.passed++
    else counts.failed++
  }
  yield `\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`
}
