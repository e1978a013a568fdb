import { plainWords } from '#adapters/speech/callers/word-errors.ts'
import cuts from './cuts.json' with { type: 'json' }
import { listPrompts, readPrompt, type Prompt } from './prompts.ts'
import { half, type Half, type Recording } from './recording.ts'
import { trimmed } from './sound-file.ts'

/**
 * Ends of turns and places that are not. `whole`, `two` (sentences) and `short`: finished. `open`: a person pauses in the middle of a sentence,
 * known because the announcement continues with a name or a number. `cut`: a fluent sentence, cut between two words.
 */
export type TurnKind = 'whole' | 'two' | 'short' | 'open' | 'cut'

export interface TurnRow extends Recording {
  kind: TurnKind
}

/** Announcements that something follows, although their text does not show it. */
const unfinished =
  /^(conf-enteringno|conf-thereare|queue-holdtime|followme\/call-from|vm-and|for|is|is-set-to|queue-less-than|digits\/(at|minus))$/
/** Longer prompts are menus, not turns. */
const maxWords = { two: 40, other: 22 }

/** Undefined: neither a turn nor the start of one. */
export const kindOf = ({ name, text }: Prompt): Exclude<TurnKind, 'cut'> | undefined => {
  if (/^(\.\.\.|…)/.test(text)) return undefined
  const words = plainWords(text, 'en').length
  const kind = /(\.\.\.|…)$/.test(text) || unfinished.test(name) ? 'open' : words <= 2 ? 'short' : isSeveral(text) ? 'two' : 'whole'
  return words > (kind === 'two' ? maxWords.two : maxWords.other) ? undefined : kind
}

const isSeveral = (text: string): boolean => text.split(/[.?!]\s+(?=\S)/).length > 1

/** Part of a sentence used as a `cut`, in samples of the trimmed recording. Found by `find-cuts.ts`. */
export interface Cut {
  at: number
  /** Words up to the cut, confirmed by a recogniser. */
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

/** Sentences split in two at their first cut. */
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
