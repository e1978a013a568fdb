// test: own process
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { Log } from '#log/log-events.ts'
import { openLoading } from './loading.ts'

const watched = (isTTY: boolean, columns = 80) => {
  const clock = new VirtualClock()
  const written: string[] = []
  const log: Log = (event, fields) => void written.push(`${event} ${JSON.stringify(fields)}`)
  const loading = openLoading({ terminal: { isTTY, columns, write: (text) => written.push(text) }, clock, log })
  return { clock, loading, written, last: () => written.at(-1) }
}

test('draws a bar on a terminal, redraws it after other output, and prints one line when all models are loaded', async () => {
  const { clock, loading, written, last } = watched(true)
  const voice = loading.begin('voice en-US')
  const recogniser = loading.begin('recogniser moonshine')
  assert.deepEqual(written, [], 'nothing before it takes a while')
  await clock.advance(1_000)
  assert.equal(last(), `\r\u001b[KLoading [${' '.repeat(30)}] 0 of 2 · 1 s · voice en-US\r`)
  const drawn = written.length
  await clock.advance(1_000)
  assert.ok(written.length > drawn)
  voice('loaded')
  await clock.advance(200)
  assert.equal(last(), `\r\u001b[KLoading [${'='.repeat(15)}${' '.repeat(15)}] 1 of 2 · 2 s · recogniser moonshine\r`)
  recogniser('loaded')
  assert.deepEqual(written.slice(-2), ['\r\u001b[K', 'Speech is ready after 2.2 s: voice en-US, recogniser moonshine.\n'])
  const ended = written.length
  await clock.advance(10_000)
  loading.begin('voice en-US')('loaded')
  await clock.advance(10_000)
  assert.equal(written.length, ended, 'what is there already is not told')
})

test('prints no ready line after a failure and draws no bar after close', async () => {
  const { clock, loading, written, last } = watched(true, 40)
  const failing = loading.begin('voice de-DE')
  await clock.advance(1_000)
  assert.equal(last()?.length, 39 + 4 + 1, 'never wider than the terminal')
  failing('failed')
  assert.equal(last(), '\r\u001b[K')
  loading.begin('voice en-US')
  await clock.advance(1_000)
  loading.close()
  assert.equal(last(), '\r\u001b[K')
  const ended = written.length
  await clock.advance(1_000)
  assert.equal(written.length, ended)
})

test('logs each start and each end when there is no terminal', async () => {
  const { clock, loading, written } = watched(false)
  const ended = loading.begin('voice en-US')
  await clock.advance(700)
  ended('loaded')
  loading.begin('voice xx')('failed')
  assert.deepEqual(written, [
    'speech_model_loading {"what":"voice en-US"}',
    'speech_model_loaded {"what":"voice en-US","ms":700}',
    'speech_model_loading {"what":"voice xx"}',
  ])
})
