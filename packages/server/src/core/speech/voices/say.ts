import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Utterance } from '#core/kernel/ports/speech.ts'
import type { MadeSpeech } from '#core/kernel/ports/assistant/speech-archive.ts'
import { cacheKey, type Occasion, type SpeechCache } from './speech-cache.ts'
import type { ChosenVoice } from './voices.ts'
import { noLongerWanted } from '#core/kernel/work/no-longer-wanted.ts'
import { within } from '#core/kernel/work/within.ts'

/**
 * A voice that gives no sound for this long has failed. Long, because a model may still be loading; providers have stricter limits of
 * their own.
 */
const nextChunkTimeoutMs = 30_000

export interface SayDeps {
  cache: SpeechCache
  clock: Clock
  occasion: Occasion
}

/** The sound of an utterance, from the cache if it was said before. Rejects when the voice fails. */
export async function* say(deps: SayDeps, voice: ChosenVoice, utterance: Utterance, signal: AbortSignal): AsyncGenerator<Int16Array> {
  const { cache, occasion } = deps
  const key = cacheKey(voice.provider, utterance)
  const lastingKey = (): string | undefined => {
    const version = voice.tts.version?.(utterance.language)
    return version === undefined ? undefined : cacheKey(voice.provider, utterance, version)
  }
  const known = cache.find(key) ?? (await recalled(cache, key, lastingKey()))
  if (known) {
    yield known.samples
  } else {
    const pieces: Int16Array[] = []
    for await (const piece of patiently(deps.clock, voice, utterance, signal)) {
      pieces.push(piece)
      yield piece
    }
    if (signal.aborted || pieces.length === 0) return
    cache.keep(key, { rate: voice.tts.rate, samples: joined(pieces) })
  }
  cache.used(key, lastingKey(), occasion) // asked again: another voice may have stepped in
}

const recalled = async (cache: SpeechCache, key: string, lastingKey: string | undefined): Promise<MadeSpeech | undefined> =>
  lastingKey === undefined ? undefined : cache.recall(key, lastingKey)

async function* patiently(clock: Clock, { tts }: ChosenVoice, utterance: Utterance, signal: AbortSignal): AsyncGenerator<Int16Array> {
  const stop = new AbortController()
  const sound = tts.synthesize(utterance, AbortSignal.any([signal, stop.signal]))[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await within(clock, nextChunkTimeoutMs, signal, () => sound.next())
      if (next.done) return
      yield next.value
    }
  } finally {
    stop.abort(noLongerWanted)
    // A voice that hangs is not waited for; that it fails when it is ended does not matter.
    void Promise.resolve(sound.return?.()).catch(() => {})
  }
}

const joined = (pieces: readonly Int16Array[]): Int16Array => {
  const samples = new Int16Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    samples.set(piece, at)
    at += piece.length
  }
  return samples
}
