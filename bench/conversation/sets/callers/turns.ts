import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Languages with dialogues. */
export const callerLanguages = ['en', 'de'] as const
export type CallerLanguage = (typeof callerLanguages)[number]

/** Part of a turn up to a pause, or to its end. */
export interface Piece {
  text: string
  /** The caller draws out the last word. */
  isDrawnOut: boolean
}

export interface WrittenTurn {
  /** The assistant's question. */
  asked: string
  pieces: readonly Piece[]
}

/** Parses lines of `question = turn`; in a turn `|` is a pause, and `~` follows a word that is drawn out. */
export const turnsIn = (dialogues: string): WrittenTurn[] =>
  dialogues
    .split('\n')
    .filter((line) => line.includes(' = ') && !line.startsWith('#'))
    .map((line) => {
      const [asked = '', turn = ''] = line.split(' = ')
      const pieces = turn.split('|').map((piece) => {
        const text = piece.trim()
        return text.endsWith('~') ? { text: text.slice(0, -1), isDrawnOut: true } : { text, isDrawnOut: false }
      })
      return { asked: asked.trim(), pieces }
    })

export const readDialogues = async (language: CallerLanguage): Promise<WrittenTurn[]> =>
  turnsIn(await readFile(join(import.meta.dirname, `${language}.txt`), 'utf8'))

/** Text of a turn for the voice, with a comma at every pause, and which of its commas those are. */
export const readAloud = (pieces: readonly Piece[]): { text: string; commas: number[] } => {
  const texts = pieces.map(({ text }, nth) => (nth === pieces.length - 1 || text.endsWith(',') ? text : `${text},`))
  const counts = texts.map(
    (_, nth) =>
      texts
        .slice(0, nth + 1)
        .join(' ')
        .split(',').length - 2,
  )
  return { text: texts.join(' '), commas: counts.slice(0, -1) }
}
