import { plainWords } from '#test/speech/word-errors.ts'
import cuts from './cuts.json' with { type: 'json' }
import { listPrompts, readPrompt, type Prompt } from './prompts.ts'
import { half, type Half, type Recording } from './recording.ts'
import { trimmed } from './sound-file.ts'

/**
 * Where turns end and where they do not. `whole`, `two` (sentences) and `short`: what was said is over. `open`: a person pauses in the middle of a
 * sentence, and we know because the announcement goes on with a name or a number. `cut`: a fluent sentence, cut between two words.
 */
export type TurnKind = 'whole' | 'two' | 'short' | 'open' | 'cut'

export interface TurnRow extends Recording {
  kind: TurnKind
}

/** Announcements after which something follows, although their text does not say so. */
const unfinished =
  /^(conf-enteringno|conf-thereare|queue-holdtime|followme\/call-from|vm-and|for|is|is-set-to|queue-less-than|digits\/(at|minus))$/
/** Longer ones are menus, not turns. */
const maxWords = { two: 40, other: 22 }

/** Undefined: neither a turn nor the beginning of one. */
export const kindOf = ({ name, text }: Prompt): Exclude<TurnKind, 'cut'> | undefined => {
  if (/^(\.\.\.|…)/.test(text)) return undefined
  const words = plainWords(text, 'en').length
  const kind = /(\.\.\.|…)$/.test(text) || unfinished.test(name) ? 'open' : words <= 2 ? 'short' : isSeveral(text) ? 'two' : 'whole'
  return words > (kind === 'two' ? maxWords.two : maxWords.other) ? undefined : kind
}

const isSeveral = (text: string): boolean => text.split(/[.?!]\s+(?=\S)/).length > 1

/** Which part of a sentence is a `cut`, in samples of the trimmed recording. `find-cuts.ts` has found them. */
export interface Cut {
  at: number
  /** The words until there, which a recogniser has confirmed. */
  upTo: string
}

const cutsOf = (name: string): readonly Cut[] => (cuts as Record<string, Cut[]>)[name] ?? []

export const readTurnSet = async (which: Half): Promise<TurnRow[]> => {
  const rows: TurnRow[] = []
  for (const prompt of half(await listPrompts('en'), which)) {
    const kind = kindOf(prompt)
    if (kind === undefined) continue
    const recording = await readPrompt('en', prompt)
    const samples = trimmed(recording.samples)
    rows.push({ ...recording, kind, samples })
    for (const { at, upTo } of cutsOf(prompt.name))
      rows.push({ ...recording, name: `${prompt.name} until ${at}`, kind: 'cut', text: upTo, samples: samples.slice(0, at) })
  }
  return rows
}

/** Sentences in the two parts that their first cut makes of them. */
export const readCutSentences = async (which: Half): Promise<(Recording & { parts: [Int16Array, Int16Array] })[]> => {
  const sentences = half(await listPrompts('en'), which).flatMap((prompt) =>
    cutsOf(prompt.name)
      .slice(0, 1)
      .map(({ at }) => ({ prompt, at })),
  )
  return Promise.all(
    sentences.map(async ({ prompt, at }) => {
      const recording = await readPrompt('en', prompt)
      const samples = trimmed(recording.samples)
      return { ...recording, samples, parts: [samples.subarray(0, at), samples.subarray(at)] }
    }),
  )
}
