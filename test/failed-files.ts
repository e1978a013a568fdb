import type { TestEvent } from 'node:test/reporters'

/** For the program that ran the tests: the files in which something failed, as JSON. */
// oxlint-disable-next-line import/no-default-export -- node:test loads reporters by their default export.
export default async function* failedFiles(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Set<string>()
  for await (const event of source) if (event.type === 'test:fail') files.add(event.data.file ?? event.data.name)
  yield JSON.stringify([...files])
}
