// test: own process
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { SpeechUnavailable, type ExpectedAnswer } from '#core/kernel/ports/speech.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { Recogniser } from './recogniser.ts'

/** A worker that obeys the first vocabulary word and counts its questions. */
const script = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads'
    let count = 0
    let stuck = false
    const cancelled = { tell: 'failed', message: 'cancelled', cancelled: true }
    const answer = (text, confidence) => ({ tell: 'done', heard: { text, confidence, language: 'en' } })
    parentPort.on('message', ({ do: wish, task }) => {
      if (wish === 'end') return parentPort.close()
      if (wish === 'cancel' && stuck) parentPort.postMessage(cancelled)
      if (wish === 'cancel') return (stuck = false)
      if (wish === 'load') return parentPort.postMessage({ tell: 'done' })
      count++
      const [word] = task.vocabulary
      if (word === 'die') process.exit(3)
      if (word === 'stick') stuck = true
      else if (word === 'fail') parentPort.postMessage({ tell: 'failed', message: 'no such file', cancelled: false })
      else parentPort.postMessage(answer(word + count, word.startsWith('unsure') ? 0.6 : 0.9))
    })
  `)}`,
)

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const never = new AbortController().signal
const tone = Int16Array.from({ length: 1_600 }, (_, i) => 9_000 * Math.sin(i))
const models = { folderWith: () => Promise.resolve('/models'), close: () => Promise.resolve() }

interface Caller {
  ask: (signal?: AbortSignal) => Promise<string>
}

/** Callers with final questions if `inSilence`, otherwise guesses. */
const open = (t: TestContext, workers = 1): ((word: string, inSilence?: boolean, patient?: true) => Caller) => {
  const recogniser = new Recogniser({ models, log: () => {}, sizes: { english: 'tiny', whisper: 'base' }, workers, processors: 2, script })
  t.after(() => recogniser.close())
  return (word, inSilence = true, patient) => {
    const track = SoundTrack.of(1)
    track.write(tone)
    if (inSilence) track.write(new Int16Array(1_600))
    const stream = recogniser.open(track, { languages: ['en'], vocabulary: [word], ...(patient && { patient }) })
    return { ask: (signal = never) => stream.transcribe(0, track.length, signal).then(({ text }) => text) }
  }
}

/** Keeps the only worker busy until the returned function is called. */
const occupy = async (caller: (word: string, inSilence?: boolean) => Caller): Promise<() => Promise<void>> => {
  const stop = new AbortController()
  const asked = caller('stick').ask(stop.signal)
  await setImmediate()
  return async () => {
    stop.abort()
    await assert.rejects(asked, { name: 'AbortError' })
  }
}

test('answers final questions before guesses, each in order', async (t) => {
  const caller = open(t)
  const release = await occupy(caller)
  const answers = [caller('guess', false), caller('guess', false), caller('wait'), caller('wait')].map((one) => one.ask())
  await setImmediate()
  await release()
  assert.deepEqual(await Promise.all(answers), ['guess4', 'guess5', 'wait2', 'wait3'])
})

test('a background question comes last, yields its worker to a call and starts over', async (t) => {
  const caller = open(t)
  const stop = new AbortController()
  const stuck = caller('stick', true, true).ask(stop.signal)
  await setImmediate()
  assert.equal(await caller('live').ask(), 'live2', 'at once, though the worker was busy')
  await setImmediate()
  const later = caller('later', true, true).ask()
  assert.equal(await caller('live').ask(), 'live4', 'the third was the one that began again')
  stop.abort()
  await assert.rejects(stuck, { name: 'AbortError' })
  assert.match(await later, /^later/)
})

test('reports the number of waiting questions and how long they waited', async (t) => {
  const waits: number[] = []
  const onWaited = (seconds: number): unknown => waits.push(seconds)
  const recogniser = new Recogniser({
    models,
    log: () => {},
    sizes: { english: 'tiny', whisper: 'base' },
    workers: 1,
    processors: 2,
    script,
    onWaited,
  })
  t.after(() => recogniser.close())
  const ask = (): Promise<unknown> => {
    const track = SoundTrack.of(1)
    track.write(tone)
    return recogniser.open(track, { languages: ['en'], vocabulary: ['word'] }).transcribe(0, track.length, never)
  }
  const answers = [ask(), ask(), ask()]
  await setImmediate()
  assert.deepEqual([recogniser.waiting, waits.length], [2, 1])
  await Promise.all(answers)
  assert.deepEqual([recogniser.waiting, waits.length, waits.every((seconds) => seconds >= 0)], [0, 3, true])
})

test('answers a glance with the smaller model, and only while a thread is idle', async (t) => {
  const sizes = { english: 'base', whisper: 'base' } as const
  const recogniser = new Recogniser({ models, log: () => {}, sizes, workers: 1, processors: 2, script })
  t.after(() => recogniser.close())
  await recogniser.prepare(['en'])
  const track = SoundTrack.of(1)
  track.write(tone)
  const stream = (word: string) => recogniser.open(track, { languages: ['en'], vocabulary: [word] })
  const glance = () => stream('word').glance?.(0, track.length, never)
  assert.equal((await glance())?.model, 'moonshine-tiny')
  assert.equal((await stream('word').transcribe(0, track.length, never)).model, 'moonshine-base')
  const stop = new AbortController()
  const stuck = stream('stick').transcribe(0, track.length, stop.signal)
  await setImmediate()
  assert.equal(await glance(), undefined, 'the only thread is busy')
  stop.abort()
  await assert.rejects(stuck, { name: 'AbortError' })
})

describe('under load', () => {
  const sentence = Int16Array.from({ length: 17_000 }, (_, i) => (i < 15_400 ? 9_000 * Math.sin(i) : 0))
  const plainWords = 'some plain words here'

  /** Resolves the name of the model for a question that waits for a busy thread until `waitedMs`, and says how often it was asked. */
  const afterWait = async (t: TestContext, waitedMs: number, word = plainWords, sound = sentence, expected?: ExpectedAnswer) => {
    const notified: string[] = []
    let now = 0
    const sizes = { english: 'base', whisper: 'base' } as const
    const log = (code: string): unknown => notified.push(code)
    const recogniser = new Recogniser({ models, log, sizes, workers: 1, processors: 2, script, now: () => now })
    t.after(() => recogniser.close())
    await recogniser.prepare(['en'])
    const ask = (said: string, signal = never, given = sound) => {
      const track = SoundTrack.of(3)
      track.write(given)
      return recogniser.open(track, { languages: ['en'], vocabulary: [said] }).transcribe(0, track.length, signal, expected)
    }
    // The thread is busy until it is stopped, so the next question waits even on a slow machine.
    const stop = new AbortController()
    const stuck = ask('stick', stop.signal)
    const waits = ask(word)
    while (recogniser.waiting === 0) await setImmediate()
    now += waitedMs
    stop.abort()
    await assert.rejects(stuck, { name: 'AbortError' })
    const { model, text } = await waits
    return { model, times: Number(text.slice(word.length)) - 1, ask, notified, pass: (ms: number) => (now += ms) }
  }

  test('switches to the smaller model after a wait of more than 300 ms, and back with the next question', async (t) => {
    assert.equal((await afterWait(t, 300)).model, 'moonshine-base')
    const { model, times, ask, notified, pass } = await afterWait(t, 301)
    assert.deepEqual([model, times], ['moonshine-tiny', 1])
    assert.equal((await ask(plainWords)).model, 'moonshine-base')
    assert.deepEqual(notified, ['recogniser_sheds_load'])
    pass(10_000)
    await ask(plainWords)
    assert.deepEqual(notified, ['recogniser_sheds_load', 'recogniser_keeps_up'])
  })

  test('keeps expected answers and short sounds with the larger model', async (t) => {
    assert.equal((await afterWait(t, 5_000, plainWords, sentence, { phrases: [] })).model, 'moonshine-base')
    assert.equal((await afterWait(t, 5_000, plainWords, tone)).model, 'moonshine-base')
  })

  test('asks the larger model again about digits, few words, and words of little confidence', async (t) => {
    for (const word of ['my code is 4 2 ', 'my code is four two ', 'Anna', 'unsure about these words']) {
      const { model, times } = await afterWait(t, 301, word)
      assert.deepEqual([model, times], ['moonshine-base', 2], word)
    }
  })
})

test("a caller's newer question replaces the older one that still waits", async (t) => {
  const caller = open(t)
  const release = await occupy(caller)
  const one = caller('one')
  const older = one.ask()
  const newer = one.ask()
  await assert.rejects(older, { name: 'AbortError', message: /newer/ })
  await release()
  assert.equal(await newer, 'one2')
})

test('skips a question that was aborted while it waited', async (t) => {
  const caller = open(t)
  const release = await occupy(caller)
  const stop = new AbortController()
  const unwanted = caller('unwanted').ask(stop.signal)
  await setImmediate()
  stop.abort(new Error('gone'))
  await assert.rejects(unwanted, /gone/)
  await release()
  assert.equal(await caller('next').ask(), 'next2')
})

test('rejects questions above the limit, guesses first', async (t) => {
  const caller = open(t)
  const release = await occupy(caller)
  const guess = assert.rejects(caller('guess', false).ask(), SpeechUnavailable)
  const answers = Array.from({ length: 16 }, () => caller('wait').ask())
  await guess
  await assert.rejects(caller('wait').ask(), SpeechUnavailable)
  await release()
  assert.equal((await Promise.all(answers)).length, 16)
})

test('runs questions concurrently in several workers', async (t) => {
  const caller = open(t, 2)
  const release = await occupy(caller)
  assert.equal(await caller('one').ask(), 'one1')
  await release()
})

test('a dying worker fails its question and is replaced', async (t) => {
  const caller = open(t)
  const [dying, waiting] = [caller('die').ask(), caller('wait').ask()]
  await assert.rejects(dying, /has died/)
  assert.equal(await waiting, 'wait1')
})

test('a failed question reports its reason and leaves others intact', async (t) => {
  const caller = open(t)
  await assert.rejects(caller('fail').ask(), /no such file/)
  assert.equal(await caller('next').ask(), 'next2')
})

test('a stream does not retain its past questions', async (t) => {
  const { ask } = open(t)('word')
  const used = async (): Promise<number> => {
    for (let i = 0; i < 1_000; i++) await ask()
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  let grown = Infinity
  // Garbage of the first measurement is gone at the next; retained memory grows each time.
  for (let attempt = 0; attempt < 5 && grown >= 1_000_000; attempt++) {
    const before = await used()
    grown = (await used()) - before
  }
  assert.ok(grown < 1_000_000, `${grown} bytes more`)
})

test('rejects pending questions on close', async () => {
  const recogniser = new Recogniser({
    models,
    log: () => {},
    sizes: { english: 'tiny', whisper: 'base' },
    workers: 1,
    processors: 2,
    script,
  })
  const track = SoundTrack.of(1)
  const ask = (word: string): Promise<unknown> => recogniser.open(track, { languages: ['en'], vocabulary: [word] }).transcribe(0, 0, never)
  const open = [assert.rejects(ask('stick'), SpeechUnavailable), assert.rejects(ask('wait'), SpeechUnavailable)]
  await setImmediate()
  await recogniser.close()
  await Promise.all(open)
  await assert.rejects(ask('late'), SpeechUnavailable)
})
