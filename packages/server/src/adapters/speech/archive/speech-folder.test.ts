import assert from 'node:assert/strict'
import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { piecesOf } from '#test/conformance/tts.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { MadeSpeech } from '#core/kernel/ports/assistant.ts'
import type { Tts } from '#core/kernel/ports/speech.ts'
import { say } from '#core/speech/voices/speaker.ts'
import { SpeechCache } from '#core/speech/voices/speech-cache.ts'
import { SpeechFolder } from './speech-folder.ts'

const day = 24 * 3_600_000
const hello: MadeSpeech = { rate: 16_000, samples: Int16Array.from({ length: 1000 }, (_, i) => i * 30 - 15_000) }

const openFolder = async (t: TestContext) => {
  const folder = join(await temporaryFolder(t), 'speech-cache')
  const clock = { time: Date.parse('2026-01-01'), now: () => clock.time }
  const problems: string[] = []
  const open = async (maxBytes = 1_000_000): Promise<SpeechFolder> => {
    const opened = new SpeechFolder({ folder, maxBytes, clock, log: (event) => void problems.push(event) })
    await opened.close() // waits for the initial scan of the folder
    return opened
  }
  /** Keys whose sound is stored. */
  const held = async (archive: SpeechFolder, ...keys: string[]): Promise<string[]> => {
    const found: string[] = []
    for (const key of keys) if (await archive.find(key)) found.push(key)
    await archive.close()
    return found
  }
  return { folder, clock, problems, open, held }
}

test('keeps sound across a restart, readable only by its owner', async (t) => {
  const { folder, open, problems } = await openFolder(t)
  const first = await open()
  assert.equal(first.find('Hello.'), undefined)
  first.keep('Hello.', hello)
  first.keep('Good\u0000bye.', { rate: 8000, samples: new Int16Array(0) })
  await first.close()
  const again = await open()
  assert.deepEqual(await again.find('Hello.'), hello)
  assert.deepEqual(await again.find('Good\u0000bye.'), { rate: 8000, samples: new Int16Array(0) })
  const names = await readdir(folder)
  assert.equal(names.length, 2)
  for (const name of names) assert.match(name, /^[0-9a-f]{64}$/)
  const modes = await Promise.all([folder, ...names.map((name) => join(folder, name))].map(async (path) => (await stat(path)).mode & 0o777))
  assert.deepEqual(modes, [0o700, 0o600, 0o600])
  assert.deepEqual(problems, [])
})

test('evicts the least recently used sound first, also after a restart', async (t) => {
  const { clock, open, held } = await openFolder(t)
  const first = await open()
  for (const key of ['a', 'b', 'c']) {
    clock.time += 60_000
    first.keep(key, hello)
    await first.close()
  }
  clock.time += 60_000
  assert.deepEqual(await held(first, 'a'), ['a'])
  const again = await open(2 * 2_100)
  assert.deepEqual(await held(again, 'a', 'b', 'c'), ['a', 'c'])
  again.keep('d', hello)
  await again.close()
  assert.deepEqual(await held(again, 'a', 'b', 'c', 'd'), ['c', 'd'])
})

test('deletes sound that was unused for a month', async (t) => {
  const { folder, clock, open, held } = await openFolder(t)
  const first = await open()
  first.keep('old', hello)
  await first.close()
  clock.time += 29 * day
  assert.deepEqual(await held(await open(), 'old'), ['old'])
  clock.time += 29 * day
  assert.deepEqual(await held(await open(), 'old'), ['old'])
  clock.time += 31 * day
  await open()
  assert.deepEqual(await readdir(folder), [])
})

test('deletes damaged, truncated and unfinished files', async (t) => {
  const { folder, open, held } = await openFolder(t)
  const first = await open()
  for (const key of ['a', 'b', 'c', 'd']) first.keep(key, hello)
  await first.close()
  const [cut = '', empty = '', changed = ''] = (await readdir(folder)).map((name) => join(folder, name))
  await truncate(cut, 500)
  await truncate(empty, 0)
  const content = await readFile(changed)
  content.writeInt16LE(99, content.length - 2)
  await writeFile(changed, content)
  await writeFile(join(folder, 'x.part'), 'half')
  await writeFile(join(folder, 'README'), 'not ours')
  const again = await open()
  assert.equal((await held(again, 'a', 'b', 'c', 'd')).length, 1)
  assert.equal((await readdir(folder)).length, 2)
  assert.ok((await readdir(folder)).includes('README'))
})

test('logs an unusable folder once and never throws', async (t) => {
  const { folder, open, problems } = await openFolder(t)
  await writeFile(folder, 'a file')
  const archive = await open()
  archive.keep('a', hello)
  archive.keep('b', hello)
  await archive.close()
  assert.equal(archive.find('a'), undefined)
  assert.deepEqual(problems, ['speech_cache_unusable'])
})

test('tolerates files deleted by another process', async (t) => {
  const { open, held, folder } = await openFolder(t)
  const one = await open()
  one.keep('a', hello)
  await one.close()
  const other = await open(1)
  assert.deepEqual(await readdir(folder), [])
  assert.deepEqual(await held(one, 'a'), [])
  await other.close()
  one.keep('a', hello)
  await one.close()
  assert.deepEqual(await held(one, 'a'), ['a'])
})

test('synthesizes a greeting once across restarts, and text of a single call again', async (t) => {
  const { open } = await openFolder(t)
  const made: string[] = []
  const tts: Tts = {
    name: 'embedded',
    rate: 16_000,
    ssml: false,
    speaks: () => true,
    version: () => 'model 1',
    async *synthesize({ text }) {
      made.push(text)
      yield hello.samples.subarray(0, 600)
      yield hello.samples.subarray(600)
    },
  }
  const voice = { provider: 'embedded', tts, language: 'en' } as const
  const clock = new VirtualClock(0)
  const process = async (...calls: [call: string, ...texts: string[]][]): Promise<void> => {
    const archive = await open()
    const cache = new SpeechCache({ archive })
    for (const [call, ...texts] of calls) {
      for (const text of texts) {
        const pieces = await piecesOf(
          say({ cache, clock, occasion: { call } }, voice, { text, language: 'en' }, new AbortController().signal),
        )
        assert.deepEqual(Int16Array.from(pieces.flatMap((piece) => [...piece])), hello.samples)
      }
    }
    await archive.close()
  }
  await process(['one', 'Hello.', 'Your bill is ten.', 'Your bill is ten.'], ['two', 'Hello.'], ['three', 'Hello.'])
  assert.deepEqual(made.splice(0), ['Hello.', 'Your bill is ten.'])
  await process(['four', 'Hello.', 'Your bill is ten.'])
  assert.deepEqual(made.splice(0), ['Your bill is ten.'])
  tts.version = () => 'model 2'
  await process(['five', 'Hello.'])
  assert.deepEqual(made, ['Hello.'])
})

test('clear() deletes everything, including files of other processes; opening deletes files older than the last erasure', async (t) => {
  const { folder, clock, open, held } = await openFolder(t)
  const [one, other] = [await open(), await open()]
  one.keep('a', hello)
  other.keep('b', hello)
  await Promise.all([one.close(), other.close()])
  await one.clear()
  assert.deepEqual(await readdir(folder), [])
  one.keep('old', hello)
  await one.close()
  clock.time += day
  one.keep('young', hello)
  await one.close()
  const late = new SpeechFolder({ folder, maxBytes: 1_000_000, clock, log: () => {}, madeSince: clock.time - 1 })
  await late.close()
  assert.deepEqual(await held(late, 'old', 'young'), ['young'])
})
