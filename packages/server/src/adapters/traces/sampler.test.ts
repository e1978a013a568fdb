import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { samplerNamed, type SamplerName } from './otlp-tracer.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'

test("the parent's decision counts if the sampler is parent-based", () => {
  const decides = (name: SamplerName): boolean[] => [undefined, true, false].map((asked) => samplerNamed(name, 1)(traceId, asked))
  assert.deepEqual(decides('always_on'), [true, true, true])
  assert.deepEqual(decides('always_off'), [false, false, false])
  assert.deepEqual(decides('parentbased_always_on'), [true, true, false])
  assert.deepEqual(decides('parentbased_always_off'), [false, true, false])
  assert.deepEqual(decides('traceidratio'), [true, true, true])
  assert.deepEqual(decides('parentbased_traceidratio'), [true, true, false])
})

test('a ratio samples its share of traces, and always the same ones', () => {
  const of = (ratio: number, id: string): boolean => samplerNamed('traceidratio', ratio)(id, undefined)
  for (const [ratio, id, wanted] of [
    [0, 'f'.repeat(32), false],
    [0.25, `${'0'.repeat(19)}c${'0'.repeat(12)}`, true],
    [0.25, `${'0'.repeat(19)}b${'f'.repeat(12)}`, false],
    [1, '0'.repeat(32), true],
  ] as const)
    assert.equal(of(ratio, id), wanted)
  const id = randomUUID().replaceAll('-', '')
  assert.equal(of(0.5, id), of(0.5, id))
})
