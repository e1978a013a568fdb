// test: own process
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'
import { Pace, chunkFrames, VoicePool, type PoolThread, SoundDue } from './voice-pool.ts'
import type { PieceOrder, SpokenSentence, VoicePiece } from './voice-protocol.ts'

/** Makes a chunk on request. */
class FakeThread implements PoolThread {
  readonly orders: PieceOrder[] = []
  readonly dropped: string[] = []
  readonly #texts = new Map<number, string>()
  readonly #questions: { resolve: (piece: VoicePiece) => void; reject: (error: Error) => void }[] = []
  readonly loading = Promise.withResolvers<void>()
  alive = true
  closed = false

  get loaded(): Promise<void> {
    return this.loading.promise
  }

  /** Text of each ordered chunk. */
  get lines(): string[] {
    return this.orders.map(({ id }) => this.#texts.get(id) ?? '')
  }

  make(order: PieceOrder): Promise<VoicePiece> {
    this.orders.push(order)
    if (order.sentence) this.#texts.set(order.id, order.sentence.text)
    return new Promise((resolve, reject) => this.#questions.push({ resolve, reject }))
  }

  drop(id: number): void {
    this.dropped.push(this.#texts.get(id) ?? '')
  }

  /** Delivers `ms` of sound; `last`: the sentence ends with it. */
  async finish(last = true, ms = 1000): Promise<void> {
    this.#questions.shift()?.resolve({ samples: new Int16Array(16 * ms), last })
    for (let i = 0; i < 5; i++) await turn()
  }

  async die(): Promise<void> {
    this.alive = false
    this.loading.reject(new SpeechUnavailable('died'))
    this.#questions.shift()?.reject(new SpeechUnavailable('died'))
    await turn()
  }

  async close(): Promise<void> {
    this.closed = true
    await this.die()
  }
}

const poolOf = (size: number, loaded = true): { pool: VoicePool; threads: FakeThread[]; waits: number[] } => {
  const threads: FakeThread[] = []
  const waits: number[] = []
  const open = async (): Promise<FakeThread> => {
    const thread = new FakeThread()
    thread.loaded.catch(() => {})
    threads.push(thread)
    if (loaded) thread.loading.resolve()
    return thread
  }
  return { pool: new VoicePool(size, open, (seconds) => waits.push(seconds)), threads, waits }
}

const forever = new AbortController().signal
/** Says all of it; `due` in milliseconds from now. */
const sayAll = async (pool: VoicePool, text: string, due: number, signal: AbortSignal): Promise<number> => {
  let samples = 0
  for await (const piece of pool.say(sentence(text), new SoundDue(due), signal)) samples += piece.length
  return samples
}
const sentence = (text: string): SpokenSentence => ({ text, speed: 1, pitch: 0 })

test('makes the sound with the earliest deadline first, regardless of the order of requests', async () => {
  const { pool, threads, waits } = poolOf(1)
  await pool.warm()
  const said: string[] = []
  const say = (text: string, due: number): void => void sayAll(pool, text, due, forever).then(() => said.push(text))
  say('first', 0)
  say('look-ahead of the first', 3_000)
  say('second of another call', 100)
  say('another look-ahead', 2_000)
  assert.deepEqual([pool.waiting, waits.length], [3, 1])
  for (let i = 0; i < 4; i++) await threads[0]?.finish()
  assert.deepEqual(threads[0]?.lines, ['first', 'second of another call', 'another look-ahead', 'look-ahead of the first'])
  assert.deepEqual(said, threads[0]?.lines)
  assert.deepEqual([pool.waiting, waits.length, waits.every((seconds) => seconds >= 0)], [0, 4, true])
})

test('skips aborted sentences', async () => {
  const { pool, threads } = poolOf(1)
  await pool.warm()
  const stop = new AbortController()
  const running = sayAll(pool, 'running', 0, stop.signal)
  const waiting = sayAll(pool, 'waiting', 1, stop.signal)
  const wanted = sayAll(pool, 'wanted', 2, forever)
  stop.abort(new Error('hung up'))
  await assert.rejects(running, /hung up/)
  await assert.rejects(waiting, /hung up/)
  await assert.rejects(sayAll(pool, 'too late', 3, stop.signal), /hung up/)
  await threads[0]?.finish()
  await threads[0]?.finish()
  await wanted
  assert.deepEqual(threads[0]?.lines, ['running', 'wanted'])
})

test('starts threads on demand, up to the limit', async () => {
  const { pool, threads } = poolOf(2)
  assert.equal(threads.length, 0)
  const spoken = ['a', 'b', 'c'].map((text, index) => sayAll(pool, text, index, forever))
  for (let i = 0; i < 10; i++) await turn()
  assert.deepEqual(threads.flatMap(({ lines }) => lines).toSorted(), ['a', 'b'])
  for (const thread of [0, 1, 0, 1]) await threads[thread]?.finish()
  await Promise.all(spoken)
  assert.equal(threads.length, 2)
})

test('replaces a dead thread and loses only its sentence', async () => {
  const { pool, threads } = poolOf(1)
  await pool.warm()
  const lost = sayAll(pool, 'lost', 0, forever)
  lost.catch(() => {})
  const kept = sayAll(pool, 'kept', 1, forever)
  await threads[0]?.die()
  await assert.rejects(lost, SpeechUnavailable)
  for (let i = 0; i < 10; i++) await turn()
  await threads[1]?.finish()
  await kept
})

test('rejects all waiting sentences when no thread can be started', async () => {
  const pool = new VoicePool(1, () => Promise.reject(new SpeechUnavailable('not fetched')))
  await assert.rejects(sayAll(pool, 'a', 0, forever), { name: 'SpeechUnavailable' })
  await assert.rejects(pool.warm(), { name: 'SpeechUnavailable' })
})

test('limits retries of a failing thread start while another thread speaks', async () => {
  const first = new FakeThread()
  first.loading.resolve()
  let tried = 0
  const pool = new VoicePool(2, () => (tried++ === 0 ? Promise.resolve(first) : Promise.reject(new SpeechUnavailable('no memory'))))
  await pool.warm()
  const spoken = ['a', 'b', 'c'].map((text, index) => sayAll(pool, text, index, forever))
  for (let i = 0; i < 20; i++) await turn()
  assert.ok(tried <= 3, `${tried} times`)
  for (let i = 0; i < 3; i++) await first.finish()
  await Promise.all(spoken)
})

test('rejects sentences above the queue limit', async () => {
  const { pool } = poolOf(1, false)
  const waiting = Promise.allSettled(Array.from({ length: 200 }, (_, index) => sayAll(pool, 'x', index, forever)))
  await assert.rejects(sayAll(pool, 'x', 0, forever), { name: 'SpeechUnavailable' })
  await pool.close()
  for (const { status } of await waiting) assert.equal(status, 'rejected')
})

test('closing ends loading and speaking threads', async () => {
  for (const loaded of [true, false]) {
    const { pool, threads } = poolOf(1, loaded)
    const talking = sayAll(pool, 'x', 0, forever)
    talking.catch(() => {})
    for (let i = 0; i < 5; i++) await turn()
    await pool.close()
    await assert.rejects(talking, SpeechUnavailable)
    assert.equal(threads[0]?.closed, true)
    await assert.rejects(sayAll(pool, 'x', 0, forever), { name: 'SpeechUnavailable' })
  }
})

test('interleaves chunks of several calls unless one would fall silent', async () => {
  const { pool, threads } = poolOf(1)
  await pool.warm()
  const [thread] = threads
  const first = sayAll(pool, 'first', 0, forever)
  const other = sayAll(pool, 'other', 0, forever)
  await thread?.finish(false, 400) // leaves time for a chunk of the other
  const late = sayAll(pool, 'late', 0, forever)
  await thread?.finish(false, 0) // no sound yet: needed immediately
  await thread?.finish(true, 400)
  await thread?.finish(true, 400)
  await thread?.finish(true, 400)
  assert.deepEqual(thread?.lines, ['first', 'other', 'other', 'late', 'first'])
  assert.deepEqual(await Promise.all([first, other, late]), [12_800, 6_400, 6_400])
})

test('chunks grow, and are long when the deadline is far', async () => {
  const { pool, threads } = poolOf(1)
  const framesOf = async (due: number): Promise<number[]> => {
    const before = threads[0]?.orders.length ?? 0
    const said = sayAll(pool, 'x', due, forever)
    for (let i = 0; i < 10; i++) await turn()
    for (let piece = 1; piece <= 5; piece++) await threads[0]?.finish(piece === 5, 0)
    await said
    return threads[0]?.orders.slice(before).map(({ frames }) => frames) ?? []
  }
  assert.deepEqual(await framesOf(0), [24, 60, 120, 240, 240])
  assert.deepEqual(await framesOf(3_000), [240, 240, 240, 240, 240])
})

test('the first chunk lasts until the next is made, also on a busy machine', () => {
  const pace = new Pace()
  assert.equal(chunkFrames(0, 0, pace), 24)
  for (let i = 0; i < 20; i++) pace.made(60, 66 * 5)
  assert.ok(Math.abs(chunkFrames(0, 0, pace) - 35) <= 1)
  assert.equal(chunkFrames(1, 0, pace), 60)
  for (let i = 0; i < 20; i++) pace.made(60, 66 * 100)
  assert.equal(chunkFrames(0, 0, pace), 240)
  for (let i = 0; i < 40; i++) pace.made(60, 66)
  assert.equal(chunkFrames(0, 0, pace), 24)
})

test('makes no further chunks of a sentence stopped between two chunks', async () => {
  const { pool, threads } = poolOf(1)
  await pool.warm()
  const stop = new AbortController()
  const stopped = sayAll(pool, 'stopped', 0, stop.signal)
  await threads[0]?.finish(false)
  stop.abort(new Error('hung up'))
  await assert.rejects(stopped, /hung up/)
  const left = pool.say(sentence('left'), new SoundDue(0), forever)
  const piece = left.next()
  await threads[0]?.finish(false)
  await threads[0]?.finish(false)
  assert.equal((await piece).done, false)
  await left.return(undefined)
  assert.deepEqual(
    [threads[0]?.lines, threads[0]?.dropped],
    [
      ['stopped', 'stopped', 'left'],
      ['stopped', 'left'],
    ],
  )
})

test('a started sentence is lost with its thread', async () => {
  const { pool, threads } = poolOf(1)
  await pool.warm()
  const begun = sayAll(pool, 'begun', 0, forever)
  begun.catch(() => {})
  const other = sayAll(pool, 'other', 0, forever)
  other.catch(() => {})
  await threads[0]?.finish(false)
  await threads[0]?.die()
  await assert.rejects(begun, SpeechUnavailable)
  await assert.rejects(other, SpeechUnavailable)
})
