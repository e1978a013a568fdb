import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import type { MadeSpeech, SpeechArchive } from '#core/kernel/ports/assistant/speech-archive.ts'
import { cacheKey, SpeechCache } from './speech-cache.ts'

const letters = 'abcdefghijkl'.split('')
const speech = (bytes: number) => ({ rate: 8000 as const, samples: new Int16Array(bytes / 2) })

test('the longest unused goes first', () => {
  const cache = new SpeechCache({ maxBytes: 1000 })
  for (const key of 'abcdefgh') cache.keep(key, speech(120))
  cache.find('a')
  cache.keep('i', speech(120))
  assert.ok(cache.find('a'))
  assert.equal(cache.find('b'), undefined)
})

test('one speech alone cannot push out everything', () => {
  const cache = new SpeechCache({ maxBytes: 1000 })
  cache.keep('a', speech(100))
  cache.keep('long', speech(900))
  assert.ok(cache.find('a'))
  assert.equal(cache.find('long'), undefined)
})

test('it never holds more than it may, and knows how much that is', () => {
  const orders = fc.array(
    fc.tuple(
      fc.constantFrom(...letters),
      fc.integer({ min: 0, max: 100 }).map((half) => 2 * half),
    ),
  )
  fc.assert(
    fc.property(orders, (kept) => {
      const cache = new SpeechCache({ maxBytes: 1000 })
      for (const [key, bytes] of kept) {
        cache.keep(key, speech(bytes))
        assert.ok(cache.bytes <= 1000)
      }
      const held = letters.reduce((sum, key) => sum + (cache.find(key)?.samples.byteLength ?? -2) + 2, 0)
      assert.equal(cache.bytes, held)
    }),
  )
})

/** Tells what it was given. */
const anArchive = (): SpeechArchive & { kept: string[]; speech: MadeSpeech | undefined } => ({
  kept: [],
  speech: undefined,
  find() {
    return this.speech && Promise.resolve(this.speech)
  },
  keep(key) {
    this.kept.push(key)
  },
  close: () => Promise.resolve(),
})

test('only what was said in several calls is archived, and the flow’s own words', () => {
  const archive = anArchive()
  const cache = new SpeechCache({ archive })
  for (const key of ['repeated', 'greeting', 'apology', 'prefetched', 'provider']) cache.keep(key, speech(100))
  for (let i = 0; i < 5; i++) {
    cache.used('repeated', 'repeated!', { call: i % 2 === 0 ? 'one' : 'two' })
    cache.used('greeting', 'greeting!', { call: `call ${i}` })
    cache.used('apology', 'apology!', 'own words')
    cache.used('prefetched', 'prefetched!', 'in advance')
    cache.used('provider', undefined, { call: `call ${i}` })
  }
  assert.deepEqual(archive.kept, ['apology!', 'greeting!'])
})

test('what comes from the archive stays in memory, and is not archived again', async () => {
  const archive = anArchive()
  const cache = new SpeechCache({ archive })
  assert.equal(await cache.recall('greeting', 'greeting!'), undefined)
  archive.speech = speech(100)
  assert.equal((await cache.recall('greeting', 'greeting!'))?.samples.length, 50)
  assert.ok(cache.find('greeting'))
  cache.used('greeting', 'greeting!', 'own words')
  assert.deepEqual(archive.kept, [])
})

test('everything that changes the sound is part of the key, and nothing else', () => {
  const plain = { text: 'Hello.', language: 'en' }
  const keys = [
    cacheKey('embedded', plain),
    cacheKey('azure', plain),
    cacheKey('embedded', { ...plain, text: 'Hello' }),
    cacheKey('embedded', { ...plain, language: 'de' }),
    cacheKey('embedded', { ...plain, voice: 'x' }),
    cacheKey('embedded', { ...plain, speed: 2 }),
    cacheKey('embedded', { ...plain, pitch: 2 }),
  ]
  keys.push(cacheKey('embedded', plain, '1'), cacheKey('embedded', plain, '2'))
  assert.equal(new Set(keys).size, keys.length)
  assert.equal(cacheKey('embedded', { ...plain, speed: 1, pitch: 0, ahead: 500 }), keys[0])
})
