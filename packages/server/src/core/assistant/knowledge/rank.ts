import { piecesOf, stemOf, wordsOf } from './terms.ts'

/** What the index knows of a document: how many words each of its passages has. */
export interface RankedDocument {
  id: string
  lengths: readonly number[]
}

export interface Posting {
  term: string
  documentId: string
  /** By passage: how often the term is there. */
  counts: ReadonlyMap<number, number>
}

export interface Ranked {
  documentId: string
  nth: number
  score: number
}

/** As is usual for BM25. */
const k1 = 1.2
const b = 0.5
/** Of the pieces of a word, compared with the word itself; by trial with `test/support/knowledge`. */
const pieceWeight = 0.6

/** The terms of a question, with what each is worth. */
export const questionTerms = (question: string): Map<string, number> => {
  const weights = new Map<string, number>()
  const add = (term: string, weight: number): void => void weights.set(term, Math.max(weights.get(term) ?? 0, weight))
  for (const word of wordsOf(question)) {
    add(stemOf(word), 1)
    const pieces = piecesOf(word)
    for (const piece of pieces) add(piece, pieceWeight / Math.sqrt(pieces.length))
  }
  return weights
}

/** The best first. */
export const rank = (
  weights: ReadonlyMap<string, number>,
  postings: readonly Posting[],
  documents: readonly RankedDocument[],
  limit: number,
): Ranked[] => {
  const lengths = new Map(documents.map(({ id, lengths: all }) => [id, all]))
  const passages = documents.reduce((sum, { lengths: all }) => sum + all.length, 0)
  const average = documents.reduce((sum, { lengths: all }) => sum + all.reduce((a, one) => a + one, 0), 0) / Math.max(1, passages)
  const scores = new Map<string, Ranked>()
  for (const [term, found] of Map.groupBy(postings, ({ term: one }) => one)) {
    const known = found.filter(({ documentId }) => lengths.has(documentId))
    const inPassages = known.reduce((sum, { counts }) => sum + counts.size, 0)
    const rarity = Math.log(1 + (passages - inPassages + 0.5) / (inPassages + 0.5)) * (weights.get(term) ?? 0)
    for (const { documentId, counts } of known)
      for (const [nth, count] of counts) {
        const length = lengths.get(documentId)?.[nth] ?? average
        const score = (rarity * count * (k1 + 1)) / (count + k1 * (1 - b + (b * length) / average))
        const key = `${documentId} ${nth}`
        const before = scores.get(key)
        if (before) before.score += score
        else scores.set(key, { documentId, nth, score })
      }
  }
  return [...scores.values()].toSorted((one, other) => other.score - one.score || one.nth - other.nth).slice(0, limit)
}
