import assert from 'node:assert/strict'
import { test } from 'node:test'
import { large, parseLargeJson } from './parse-json.ts'

const long = 'QUJD'.repeat(large)

test('an upload is read as any other body is', async () => {
  const bodies = [
    { name: 'a', content: long, after: [1, null, 'x'] },
    [long, { [long]: `ü${long}` }],
    long,
    { empty: '', escaped: `"\\${long}\n"`, content: long },
    Array.from({ length: large / 8 }, (_, index) => ({ index })),
  ]
  for (const body of bodies) for (const space of [0, 1]) assert.deepEqual(await parseLargeJson(JSON.stringify(body, null, space)), body)
})

test('what is wrong with it is found', async () => {
  const wrong = [
    `{"content":"${long}`,
    `{"content":"${long}"`,
    `{"content":"${long}\n"}`,
    `{"content":"${long}\u0001"}`,
    `{"content":"${long}\\x"}`,
    `"${long}" "${long}"`,
  ]
  for (const text of wrong) await assert.rejects(parseLargeJson(text), { code: 'invalid_json' }, text.slice(-20))
  await assert.rejects(parseLargeJson(`{"a":"\\u0000","content":"${long}"}`), /NUL character/)
  await assert.rejects(parseLargeJson(`{"content":"${long}\\u0000"}`), /NUL character/)
  await assert.rejects(parseLargeJson(`{"__proto__":{},"content":"${long}"}`), /field name/)
  await assert.rejects(parseLargeJson(`{"deep":${'['.repeat(50_000)}${']'.repeat(50_000)},"content":"${long}"}`), /nested too deeply/)
})
