import assert from 'node:assert/strict'
import { test } from 'node:test'
import { large, parseJson } from './parse-json.ts'
import { setImmediate as breathe } from 'node:timers/promises'
import { withCode } from '#test/http/with-code.ts'
import { parseLargeJson } from './body.ts'

const long = 'QUJD'.repeat(large)
const read = (text: string): Promise<unknown> => parseLargeJson(Buffer.from(text), breathe)

test('parses an upload like any other body', async () => {
  const bodies = [
    { name: 'a', content: long, after: [1, null, 'x'] },
    [long, { [long]: `ü${long}` }],
    long,
    { empty: '', escaped: `"\\${long}\n"`, content: long },
    { slashes: '\\'.repeat(700_001), quotes: '"'.repeat(300_000), wide: '👍ü'.repeat(100_000), lines: 'ä\n"\\'.repeat(200_000) },
    Array.from({ length: large / 8 }, (_, index) => ({ index })),
  ]
  for (const body of bodies) for (const space of [0, 1]) assert.deepEqual(await read(JSON.stringify(body, null, space)), body)
  const escaped = (text: string): string => text.replace(/[^]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
  for (const before of ['', 'x', 'xy', 'xyz']) assert.deepEqual(await read(`["${before}${escaped(long)}"]`), [before + long])
  assert.deepEqual(await read(`["${long.replaceAll('D', String.raw`\/`)}"]`), [long.replaceAll('D', '/')])
})

test('finds mistakes in an upload', async () => {
  const wrong = [
    `{"content":"${long}`,
    `{"content":"${long}"`,
    `{"content":"${long}\n"}`,
    `{"content":"${long}\u0001"}`,
    `{"content":"${long}\\x"}`,
    `"${long}" "${long}"`,
  ]
  for (const text of wrong) await assert.rejects(read(text), { code: 'invalid_json' }, text.slice(-20))
  await assert.rejects(read(`{"a":"\\u0000","content":"${long}"}`), withCode('parameter_invalid', 'NUL'))
  await assert.rejects(read(`{"content":"${long}\\u0000"}`), withCode('parameter_invalid', 'NUL'))
  await assert.rejects(read(`{"__proto__":{},"content":"${long}"}`), withCode('parameter_invalid'))
})

test('rejects a body that would take long to parse', async () => {
  const deep = `{"deep":${'['.repeat(50_000)}${']'.repeat(50_000)},"content":"${long}"}`
  await assert.rejects(read(deep), withCode('parameter_invalid', '100'))
  assert.throws(() => parseJson(`${'['.repeat(1_001)}${']'.repeat(1_001)}`), withCode('parameter_invalid', '100'))
  await assert.rejects(read(`[${'[],'.repeat(300_000)}[]]`), withCode('parameter_invalid', '100000'))
  await assert.rejects(read(JSON.stringify(Array.from({ length: 20 }, () => 'x'.repeat(large - 9)))), withCode('parameter_invalid'))
  await assert.rejects(read(`"${'ü'.repeat(5_000_000)}"`), withCode('parameter_invalid'))
})
