import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LabWork, Stt } from '#core/kernel/ports/speech.ts'
import { openLab } from './open-lab.ts'

const silence = new Int16Array(8_000)
const work: LabWork = {
  sound: { rate: 8_000, heard: silence, sent: silence },
  speeches: [],
  wishes: [],
  voice: [],
  languages: ['en'],
  vocabulary: [],
  recogniserMs: 0,
  variants: [{}],
}
/** The recording is silent, so the recogniser is never called. */
const stt = {} as Stt

test('runs one recording per account and two at a time for two accounts', async () => {
  const lab = openLab({ detector: 'energy', model: undefined, stt })
  const first = lab.run('a', work)
  assert.equal(lab.run('a', work), undefined)
  const second = lab.run('b', work)
  assert.equal(lab.run('c', work), undefined)
  assert.deepEqual((await first)?.runs, [{ turns: [], interruptions: [] }])
  await second
  assert.ok(await lab.run('a', work))
  await lab.close()
})
