import type { ScenarioReport } from '../assistant/scenario.ts'
import type { Beat, RecordedCall } from './recorded-call.ts'
import { plain } from './recorded-call.ts'

/** First difference between a recorded and a replayed call. */
export interface CallDifference {
  /** The caller's step after which they differ; 0: at the beginning. */
  step: number
  turn: number
  message: string
}

/** Behaviour of a replayed conversation after one step of the caller. */
type Repeated = Pick<Beat, 'said' | 'deeds'>

/**
 * The first difference: actions and end must be equal, speech in its words; interrupted speech as far as both were heard. Undefined: there
 * is none.
 */
export const firstDifference = (
  recorded: RecordedCall,
  report: Pick<ScenarioReport, 'transcript' | 'ended'>,
): CallDifference | undefined => {
  const repeated = repeatedOf(report.transcript)
  for (const [step, beat] of recorded.beats.entries()) {
    const { turn } = beat
    const message = differenceOf(beat, repeated[step] ?? { said: [], deeds: [] })
    if (message !== undefined) return { step, turn, message }
  }
  const { ended } = recorded
  const step = recorded.beats.length - 1
  const turn = recorded.beats.at(-1)?.turn ?? 0
  if (!isComparable(ended) || ended === report.ended) return undefined
  return { step, turn, message: `it ended with ${ended}, now ${report.ended ?? 'it does not end'}` }
}

/** Other ends are independent of the conversation. */
const isComparable = (ended: RecordedCall['ended']): boolean =>
  ended === 'assistant_hangup' || ended === 'transferred' || ended === 'caller_hangup'

/** One entry per step of the caller, in order. */
const repeatedOf = (transcript: ScenarioReport['transcript']): Repeated[] => {
  const beats: Repeated[] = [{ said: [], deeds: [] }]
  for (const { by, text, cut = false, action } of transcript) {
    if (by === 'caller') beats.push({ said: [], deeds: [] })
    else if (by === 'assistant' && text !== undefined) beats.at(-1)?.said.push({ text, cut })
    else if (by === 'assistant' && action !== undefined && comparable.test(action)) beats.at(-1)?.deeds.push(action)
  }
  return beats
}

const comparable = /^(?:hangup|transfer|send_dtmf|tool)\b/

const differenceOf = (before: Repeated, now: Repeated): string | undefined => {
  const [did, does] = [before.deeds.join(', ') || 'nothing', now.deeds.join(', ') || 'nothing']
  if (did !== does) return `did ${did}, now ${does}`
  const [was, is] = [wordsOf(before), wordsOf(now)]
  if (was.text === is.text) return undefined
  const isSame = was.cut || is.cut ? agree(was.text, is.text) : false
  return isSame ? undefined : `said “${shown(before)}”, now “${shown(now)}”`
}

const wordsOf = ({ said }: Repeated): { text: string; cut: boolean } => ({
  text: plain(said.map(({ text }) => text).join(' ')),
  cut: said.some(({ cut }) => cut),
})

/** One may continue where the other was interrupted. */
const agree = (a: string, b: string): boolean => a.startsWith(b) || b.startsWith(a)

const shown = ({ said }: Repeated): string => said.map(({ text, cut }) => (cut ? `${text} …` : text)).join(' ')
