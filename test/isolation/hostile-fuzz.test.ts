// test: chance
import { test } from 'node:test'
import { pathNames, type Operation } from '@offhook/contract'
import { startWorld } from '#test/world/world.ts'
import { otherIds, textFields, userOperations } from './examples.ts'
import { fillAccount } from './fixtures.ts'
import { hostileStrings } from './hostile-strings.ts'
import { aim, assertNoFault, bearer, send } from './requests.ts'

/** Each place gets every n-th text, the next place others: each text reaches many places, and each place sees many texts. */
for (const [database, oneIn] of [
  ['sqlite', 3],
  ['postgres', 6],
] as const) {
  test(`${database}: causes no server error for hostile texts in every field, path and query`, async (t) => {
    const world = await startWorld(t, { database })
    const { ada, ids } = await fillAccount(world)
    for (const operation of userOperations()) {
      for (const { path, body, sent } of hostileRequests(operation, ids, oneIn)) {
        assertNoFault(operation, await send(world.url, operation, path, body, bearer(ada)), sent)
      }
    }
  })
}

/** One hostile text in one place at a time. Paths get fewer of them: there, most are just an unknown id. */
function* hostileRequests(operation: Operation, ids: Record<string, string>, oneIn: number) {
  const { path, body } = aim(operation, ids)
  const shown = (text: string) => JSON.stringify(text).slice(0, 80)
  for (const field of operation.body ? textFields(operation.body) : []) {
    for (const text of nextTexts(oneIn)) yield { path, body: withText(body, field, text), sent: `${shown(text)} in ${field.join('/')}` }
  }
  for (const name of pathNames(operation.path)) {
    for (const text of nextTexts(4 * oneIn).filter((one) => one !== '' && one.isWellFormed())) {
      yield {
        path: aim(operation, { ...ids, [otherIds[operation.id]?.[name] ?? name]: text }).path,
        body,
        sent: `${shown(text)} as ${name}`,
      }
    }
  }
  for (const name of Object.keys((operation.query as { properties?: object } | undefined)?.properties ?? {})) {
    for (const text of nextTexts(oneIn).filter((one) => one.isWellFormed()))
      yield { path: `${path}?${name}=${encodeURIComponent(text)}`, body, sent: `${shown(text)} as query ${name}` }
  }
}

let places = 0
const nextTexts = (oneIn: number): string[] => {
  places += 1
  return hostileStrings.filter((_text, index) => (index + places) % oneIn === 0)
}

const withText = (body: unknown, [name, ...rest]: string[], text: string): unknown => {
  if (name === undefined) return text
  const at = body !== null && typeof body === 'object' ? body : {}
  if (name === '0') return [withText((at as unknown[])[0], rest, text)]
  return { ...at, [name]: withText((at as Record<string, unknown>)[name], rest, text) }
}
