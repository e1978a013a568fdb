import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'
import type { SpokenSentence } from './voice-protocol.ts'
import { VoicePool, type PoolThread } from './voice-pool.ts'

/** Says a line when it is told to. */
class FakeThread implements PoolThread {
  readonly lines: string[] = []
  readonly #questions: { resolve: (samples: Int16Array) => void; reject: (error: Error) => void }[] = []
  readonly loading = Promise.withResolvers<void>()
  alive = true
  closed = false

  get loaded(): Promise<void> {
    return this.loading.promise
  }

  say({ text }: SpokenSentence): Promise<Int16Array> {
    this.lines.push(text)
    return new Promise((resolve, reject) => this.#questions.push({ resolve, reject }))
  }

  async finish(): Promise<void> {
    this.#questions.shift()?.resolve(Int16Array.of(this.lines.length))
    await turn()
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
const sentence = (text: string): SpokenSentence => ({ text, speed: 1, pitch: 0 })

test('what is due first is said first, in whichever order it was asked for', async () => {
  const { pool, threads, waits } = poolOf(1)
  await pool.warm()
  const said: string[] = []
  const say = (text: string, due: number): void => void pool.say(sentence(text), due, forever).then(() => said.push(text))
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

test('what was aborted is not said', async () => {
  const { pool, threads } = poolOf(1)
  await pool.warm()
  const stop = new AbortController()
  const running = pool.say(sentence('running'), 0, stop.signal)
  const waiting = pool.say(sentence('waiting'), 1, stop.signal)
  const wanted = pool.say(sentence('wanted'), 2, forever)
  stop.abort(new Error('hung up'))
  await assert.rejects(running, /hung up/)
  await assert.rejects(waiting, /hung up/)
  await assert.rejects(pool.say(sentence('too late'), 3, stop.signal), /hung up/)
  await threads[0]?.finish()
  await threads[0]?.finish()
  await wanted
  assert.deepEqual(threads[0]?.lines, ['running', 'wanted'])
})

test('threads are started when there is something to say, and no more than allowed', async () => {
  const { pool, threads } = poolOf(2)
  assert.equal(threads.length, 0)
  const spoken = ['a', 'b', 'c'].map((text, index) => pool.say(sentence(text), index, forever))
  for (let i = 0; i < 10; i++) await turn()
  assert.deepEqual(threads.flatMap(({ lines }) => lines).toSorted(), ['a', 'b'])
  for (const thread of [0, 1, 0, 1]) await threads[thread]?.finish()
  await Promise.all(spoken)
  assert.equal(threads.length, 2)
})

test('a thread that died is replaced by another, and only its line is lost', async () => {
  const { pool, threads } = poolOf(1)
  await pool.warm()
  const lost = pool.say(sentence('lost'), 0, forever)
  lost.catch(() => {})
  const kept = pool.say(sentence('kept'), 1, forever)
  await threads[0]?.die()
  await assert.rejects(lost, SpeechUnavailable)
  for (let i = 0; i < 10; i++) await turn()
  await threads[1]?.finish()
  await kept
})

test('when no thread can be started, everything that waits fails', async () => {
  const pool = new VoicePool(1, () => Promise.reject(new SpeechUnavailable('not fetched')))
  await assert.rejects(pool.say(sentence('a'), 0, forever), /not fetched/)
  await assert.rejects(pool.warm(), /not fetched/)
})

test('a thread that can not be started is not tried again and again while another one speaks', async () => {
  const first = new FakeThread()
  first.loading.resolve()
  let tried = 0
  const pool = new VoicePool(2, () => (tried++ === 0 ? Promise.resolve(first) : Promise.reject(new SpeechUnavailable('no memory'))))
  await pool.warm()
  const spoken = ['a', 'b', 'c'].map((text, index) => pool.say(sentence(text), index, forever))
  for (let i = 0; i < 20; i++) await turn()
  assert.ok(tried <= 3, `${tried} times`)
  for (let i = 0; i < 3; i++) await first.finish()
  await Promise.all(spoken)
})

test('more than can ever be said in time is refused', async () => {
  const { pool } = poolOf(1, false)
  const waiting = Promise.allSettled(Array.from({ length: 200 }, (_, index) => pool.say(sentence('x'), index, forever)))
  await assert.rejects(pool.say(sentence('x'), 0, forever), /too much/)
  await pool.close()
  for (const { status } of await waiting) assert.equal(status, 'rejected')
})

test('closing ends threads that still load, and those that speak', async () => {
  for (const loaded of [true, false]) {
    const { pool, threads } = poolOf(1, loaded)
    const talking = pool.say(sentence('x'), 0, forever)
    talking.catch(() => {})
    for (let i = 0; i < 5; i++) await turn()
    await pool.close()
    await assert.rejects(talking, SpeechUnavailable)
    assert.equal(threads[0]?.closed, true)
    await assert.rejects(pool.say(sentence('x'), 0, forever), /closed/)
  }
})
