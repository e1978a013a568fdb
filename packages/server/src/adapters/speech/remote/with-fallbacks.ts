import { SpeechUnavailable, type Stt, type SttStream, type Transcript, type Tts } from '#core/kernel/ports/speech.ts'
import { PieceResampler } from '#media/codec/resample.ts'

/** Recognises with the first one that can: the others are opened when it fails, and get the same sound. */
export const sttWithFallbacks = (first: Stt, fallbacks: () => readonly Stt[]): Stt => ({
  name: first.name,
  hears: (language) => first.hears(language),
  open(track, options, observer) {
    const stream = first.open(track, options, observer)
    const opened = new Map<Stt, SttStream>()
    const streamOf = (stt: Stt): SttStream => {
      const known = opened.get(stt) ?? stt.open(track, options, { failed: () => opened.delete(stt) })
      opened.set(stt, known)
      return known
    }
    const [language = ''] = options.languages
    const usable = (): Stt[] => fallbacks().filter((stt) => language === '' || stt.hears(language))
    const transcribe: SttStream['transcribe'] = async (from, to, signal, expected) => {
      const tries = [() => stream, ...usable().map((stt) => () => streamOf(stt))]
      return firstThatWorks(tries, signal, (open) => open().transcribe(from, to, signal, expected))
    }
    return {
      transcribe,
      ...(stream.glance && { glance: (from, to, signal) => glanceOf(stream, from, to, signal) }),
      close() {
        stream.close()
        for (const other of opened.values()) other.close()
      },
    }
  },
})

/** Fallbacks are not asked for partial transcripts. */
const glanceOf = async (stream: SttStream, from: number, to: number, signal: AbortSignal): Promise<Transcript | undefined> => {
  try {
    return await stream.glance?.(from, to, signal)
  } catch (error) {
    if (error instanceof SpeechUnavailable) return undefined
    throw error
  }
}

const firstThatWorks = async <C, T>(choices: readonly C[], signal: AbortSignal, use: (choice: C) => Promise<T>): Promise<T> => {
  let failure: unknown
  for (const choice of choices) {
    signal.throwIfAborted()
    try {
      return await use(choice)
    } catch (error) {
      if (signal.aborted || !(error instanceof SpeechUnavailable)) throw error
      failure = error
    }
  }
  throw failure
}

/** Speaks with the first one that can, at its rate. The next one begins the sentence again, and continues at the same time of it. */
export const ttsWithFallbacks = (first: Tts, fallbacks: readonly Tts[]): Tts => ({
  ...first,
  async *synthesize(utterance, signal) {
    let failure: unknown
    let given = 0
    for (const tts of [first, ...fallbacks.filter((one) => one.speaks(utterance.language))]) {
      let made = 0
      try {
        for await (const samples of atRate(tts.synthesize(utterance, signal), tts.rate, first.rate)) {
          const fresh = samples.subarray(Math.max(0, given - made))
          made += samples.length
          given += fresh.length
          if (fresh.length > 0) yield fresh
        }
        return
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof SpeechUnavailable)) throw error
        failure = error
      }
    }
    throw failure
  },
})

async function* atRate(sound: AsyncIterable<Int16Array>, from: number, to: number): AsyncGenerator<Int16Array> {
  if (from === to) {
    yield* sound
    return
  }
  const resampler = new PieceResampler(from, to)
  for await (const samples of sound) yield resampler.add(samples)
  yield resampler.end()
}
