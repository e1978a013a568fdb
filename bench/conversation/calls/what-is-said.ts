import { sampleOf, type Options } from '../options.ts'
import { readFolder } from '../sets/own-folder.ts'
import { joined, silence } from '../sets/recording.ts'
import { readCutSentences, readTurnSet } from '../sets/turn-set.ts'
import type { Utterance } from './utterances.ts'

const pauseMs = 700
/** By then the assistant has answered the first turn: speech during its answer may not count as a turn. */
export const betweenTurnsMs = 4_000
const maxPairs = 8

/** Utterances of callers: whole turns, sentences with a pause, and two turns in a row. Or the operator's own recordings. */
export const readUtterances = async (options: Options): Promise<Utterance[]> => {
  if (options.folder !== undefined)
    return (await readFolder(options.folder, options.language)).map((recording) => ({ ...recording, kind: 'own' as const }))
  if (!options.measures.includes('turns')) return []
  const rows = await readTurnSet(options.half)
  const short = rows.filter(({ kind }) => kind === 'short')
  const whole = rows.filter(({ kind }) => kind === 'whole' || kind === 'two')
  return [
    ...sampleOf(whole, options),
    ...sampleOf(short, options),
    ...sampleOf(await readCutSentences(options.half), options).map(({ parts: [first, second], ...recording }) => ({
      ...recording,
      kind: 'pause' as const,
      samples: joined([first, silence(pauseMs), second]),
    })),
    ...sampleOf(short, options)
      .slice(0, 2 * maxPairs)
      .flatMap((first, nth) => {
        const second = sampleOf(short, options)[nth + 1]
        if (nth % 2 === 1 || !second) return []
        const samples = joined([first.samples, silence(betweenTurnsMs), second.samples])
        return [{ ...first, kind: 'pair' as const, text: `${first.text} ${second.text}`, samples }]
      }),
  ]
}
