import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JsonTooComplex, parseBoundedJson, scanJson } from './bounded-json.ts'

test('parses as JSON.parse does', () => {
  const values = [
    { a: [1, 'x', null, { b: '\\"\\\\"' }], '\\': '"', c: '\\\\\\' },
    '\\'.repeat(1_001),
    [['"', ',[]{}:']],
    Array.from({ length: 200 }, (_, at) => ({ at })),
  ]
  for (const value of values) assert.deepEqual(parseBoundedJson(JSON.stringify(value)), value)
  for (const wrong of ['', '{', '[1', '"', '"\\', 'x', '{"a"}']) assert.throws(() => parseBoundedJson(wrong), SyntaxError, wrong)
})

test('rejects deep, wide and long values', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
  const members = (count: number): string => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at])))
  parseBoundedJson(nested(100))
  parseBoundedJson(members(1_000))
  parseBoundedJson(`[${members(600)},${members(600)}]`)
  for (const [text, message] of [
    [nested(1_001), /100 deep/],
    [members(1_001), /1000 members/],
    [`[${'0,'.repeat(50_001)}0]`, /50000 values/],
    [`[${'1'.repeat(2_000)}]`, /1000 digits/],
    [JSON.stringify('"'.repeat(300_001)), /300000 escapes/],
  ] as const)
    assert.throws(
      () => parseBoundedJson(text),
      (error) => error instanceof JsonTooComplex && message.test(error.message),
    )
  assert.throws(() => parseBoundedJson(' '.repeat(3_001), { maxLength: 3_000 }), /3000 characters/)
  assert.throws(() => parseBoundedJson(JSON.stringify(['a'.repeat(1_500), 'b'.repeat(1_500)]), { maxLength: 3_000 }), /3000 characters/)
  assert.equal(nested(500).length, JSON.stringify(parseBoundedJson(nested(500))).length)
})

test('reports long strings, and yields in between', () => {
  const text = JSON.stringify(['short', 'x'.repeat(50), { ['\\"'.repeat(200_000)]: '"' }, Array.from({ length: 40_000 }, () => 1)])
  const scan = scanJson(text, { longString: 20, maxEscapes: Infinity })
  let stops = 0
  let step = scan.next()
  for (; step.done !== true; step = scan.next()) stops++
  assert.deepEqual(
    step.value.map(({ from, to }) => to - from),
    [50, 800_000],
  )
  assert.ok(stops >= 1)
})
