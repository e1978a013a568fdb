import { askAfterMs, defaultEndpointing } from '#core/speech/turns/turn-silence.ts'
import { sampleOf, type Options } from '../../options.ts'
import { dice, overTheLine } from '../noises.ts'
import { half, joined, sampleRate, silence } from '../recording.ts'
import { readTurnSet } from '../turn-set.ts'
import { CallerVoice, type Speaker } from './caller-voice.ts'
import { telephoneBand } from './telephone-band.ts'
import { readDialogues, type CallerLanguage } from './turns.ts'

/** A silence of a caller: inside a turn, or after it. Only what was heard until then is known. */
export interface Span {
  language: CallerLanguage
  speaker: 'voice' | 'people'
  /** Text until then; for messages and tests, no detector gets it. */
  text: string
  asked: string | undefined
  isEnd: boolean
  /** How long the caller pauses; 0 at the end of a turn. */
  pauseMs: number
  /** Telephone sound of the turn so far, and of the silence in which the words are requested. */
  sound: Int16Array<ArrayBuffer>
  /** From the first to the last voiced sample. */
  turnMs: number
}

type Sample = Pick<Options, 'half' | 'every'>

const speakers: readonly Speaker[] = [
  { speed: 1, pitch: 1 },
  { speed: 0.9, pitch: 0.85 },
  { speed: 1.1, pitch: 1.1 },
  { speed: 0.95, pitch: 0.92 },
]

/** Pauses last 0.3 to 1.5 s; short ones are more frequent. */
const pauseRange = { min: 300, max: 1_500 }
const preRollMs = 300

const msOf = (samples: number): number => (samples * 1000) / sampleRate

/** Sound of a turn as the service hears it when it requests the words. */
const heardSound = (said: Int16Array, seed: number): { sound: Int16Array<ArrayBuffer>; turnMs: number } => {
  const turnMs = msOf(said.length)
  const after = silence(askAfterMs(turnMs, defaultEndpointing))
  return { sound: overTheLine(joined([silence(preRollMs), telephoneBand(said), after]), seed), turnMs }
}

/** The dialogues, read by the embedded voice. Even ones are for development and tuning, odd ones only for validation. */
export const readSpokenTurns = async (language: CallerLanguage, { half: which, every }: Sample): Promise<Span[]> => {
  const [voice, random, spans] = [await CallerVoice.open(language), dice(language.charCodeAt(0)), [] as Span[]]
  const turns = (await readDialogues(language)).map((turn, nth) => ({
    ...turn,
    speaker: speakers[nth % speakers.length]!,
    pauses: turn.pieces.map(() => Math.round(pauseRange.min * (pauseRange.max / pauseRange.min) ** ((random() + 1) / 2))),
  }))
  for (const [seed, { asked, pieces, speaker, pauses }] of sampleOf(half(turns, which), { every }).entries()) {
    const [said, texts, sounds] = [[] as Int16Array[], [] as string[], await voice.say(pieces, speaker)]
    for (const [nth, piece] of pieces.entries()) {
      const isEnd = nth === pieces.length - 1
      said.push(sounds[nth] ?? silence(0))
      texts.push(piece.text)
      const pauseMs = isEnd ? 0 : (pauses[nth] ?? 0)
      spans.push({ language, speaker: 'voice', text: texts.join(' '), asked, isEnd, pauseMs, ...heardSound(joined(said), seed + 1) })
      said.push(silence(pauseMs))
    }
  }
  return spans
}

/** People who read announcements: whole sentences and short answers, and sentences with a pause inserted between two words. */
export const readPeople = async ({ half: which, every }: Sample): Promise<Span[]> => {
  const random = dice(11)
  return sampleOf(await readTurnSet(which), { every }).map(({ kind, text, samples }, seed) => {
    const isEnd = kind !== 'cut' && kind !== 'open'
    const pauseMs = Math.round(pauseRange.min * (pauseRange.max / pauseRange.min) ** ((random() + 1) / 2))
    const known = { language: 'en', speaker: 'people', text, asked: undefined, isEnd } as const
    return { ...known, pauseMs: isEnd ? 0 : pauseMs, ...heardSound(samples, seed + 1) }
  })
}
