import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import type { MadeSpeech, SpeechArchive } from '#core/kernel/ports/assistant.ts'
import { cacheKey, SpeechCache } from './speech-cache.ts'

const letters = 'abcdefghijkl'.split('')
const speech = (bytes: number) => ({ rate: 8000 as const, samples: new Int16Array(bytes / 2) })

test('evicts the least recently used first', () => {
  const cache = new SpeechCache({ maxBytes: 1000 })
  for (const key of 'abcdefgh') cache.keep(key, speech(120))
  cache.find('a')
  cache.keep('i', speech(120))
  assert.ok(cache.find('a'))
  assert.equal(cache.find('b'), undefined)
})

test('does not cache a speech that would evict everything else', () => {
  const cache = new SpeechCache({ maxBytes: 1000 })
  cache.keep('a', speech(100))
  cache.keep('long', speech(900))
  assert.ok(cache.find('a'))
  assert.equal(cache.find('long'), undefined)
})

test('stays within its maximum size and tracks it exactly', () => {
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

/** Records its input. */
const anArchive = (): SpeechArchive & { kept: string[]; speech: MadeSpeech | undefined } => ({
  kept: [],
  speech: undefined,
  find() {
    return this.speech && Promise.resolve(this.speech)
  },
  keep(key) {
    this.kept.push(key)
  },
  async clear() {
    this.kept.splice(0)
    this.speech = undefined
  },
  close: () => Promise.resolve(),
})

test("archives speech of several calls and the flow's own phrases only", () => {
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

test('keeps archived speech in memory and does not archive it again', async () => {
  const archive = anArchive()
  const cache = new SpeechCache({ archive })
  assert.equal(await cache.recall('greeting', 'greeting!'), undefined)
  archive.speech = speech(100)
  assert.equal((await cache.recall('greeting', 'greeting!'))?.samples.length, 50)
  assert.ok(cache.find('greeting'))
  cache.used('greeting', 'greeting!', 'own words')
  assert.deepEqual(archive.kept, [])
})

test('includes exactly the parameters that change the audio in the key', () => {
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

test('clears memory and archive when a person was erased', async () => {
  const archive = anArchive()
  const cache = new SpeechCache({ archive })
  cache.keep('a', speech(100))
  cache.used('a', 'a!', 'own words')
  await cache.clear()
  assert.deepEqual([cache.find('a'), cache.bytes, archive.kept], [undefined, 0, []])
})
