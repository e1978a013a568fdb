import { minConfidenceAt } from '#core/assistant/session/silence/dead-air.ts'
import { plain, type Row } from '../report/rows.ts'
import { sampleOf, type Options } from '../options.ts'
import { scoreWords } from '../scoring/words.ts'
import { withNoise } from '../sets/noises.ts'
import { readPrompts } from '../sets/prompts.ts'
import { joined, sampleRate, silence, type Recording } from '../sets/recording.ts'
import { trimmed } from '../sets/sound-file.ts'
import type { Listener } from './listener.ts'
import { sequentially, transcribe } from './measures.ts'

const snrs = [20, 10, 5, 0]
const maxSeconds = 6

/** White noise on the whole line, at several SNR: which words are reported as unclear, with the limit of a clean line and with that of the SNR. */
export const noisyWords = async (listener: Listener, options: Options) => {
  const prompts = sampleOf(await readPrompts('en', options.half), options).filter(({ samples }) => samples.length < maxSeconds * sampleRate)
  return sequentially(snrs, async (snrDb) => {
    const heard = await sequentially(prompts, (prompt) => transcribe(listener, withNoise(onLine(prompt), snrDb), undefined, 0))
    const outcome = (limitOf: (snrDb: number | undefined) => number) => {
      const told = heard.filter(({ heard: text, confidence, snrDb: measured }) => text !== '' && confidence >= limitOf(measured))
      return {
        unclear: heard.length - told.length,
        told: told.length,
        nonsense: told.filter(isNonsense).length,
        errorRate: scoreWords(told).errorRate,
      }
    }
    return { snrDb, prompts: prompts.length, before: outcome(() => minConfidenceAt()), after: outcome(minConfidenceAt) }
  })
}

/** Half of the words are wrong. */
const isNonsense = (pair: Parameters<typeof scoreWords>[0][number]): boolean => scoreWords([pair]).errorRate >= 0.5

const onLine = (prompt: Recording): Recording => ({ ...prompt, samples: joined([silence(300), trimmed(prompt.samples), silence(200)]) })

export const noisyRows = (scores: Awaited<ReturnType<typeof noisyWords>>): Row[] =>
  scores.flatMap(({ snrDb, prompts, before, after }) =>
    (['one limit', 'limit by SNR'] as const).map((what, nth) => {
      const { unclear, nonsense, errorRate } = [before, after][nth]!
      const words = `${unclear} unclear, ${nonsense} nonsense, word errors ${(100 * errorRate).toFixed(1)} %`
      return plain(`SNR ${snrDb} dB (${prompts}), ${what}`, words)
    }),
  )
