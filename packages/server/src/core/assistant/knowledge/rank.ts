import type { IndexedDocument, StoredTerm } from '#core/kernel/ports/store/assistant/knowledge.ts'
import { countPostings, readPostings } from './postings.ts'
import { piecesOf, stemOf, wordsOf } from './terms.ts'

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
  terms: readonly StoredTerm[],
  documents: readonly Pick<IndexedDocument, 'id' | 'lengths'>[],
  limit: number,
): Ranked[] => {
  const scored = new Map(documents.map(({ id, lengths }) => [id, { lengths, scores: new Float64Array(lengths.length) }]))
  const passages = sum(documents.map(({ lengths }) => lengths.length))
  const average = sum(documents.map(({ lengths }) => sum(lengths))) / Math.max(1, passages)
  for (const [term, found] of Map.groupBy(terms, ({ term: one }) => one)) {
    const known = found.filter(({ documentId }) => scored.has(documentId))
    const inPassages = sum(known.map(({ postings }) => countPostings(postings)))
    const rarity = Math.log(1 + (passages - inPassages + 0.5) / (inPassages + 0.5)) * (weights.get(term) ?? 0)
    for (const { documentId, postings } of known) {
      const { lengths, scores } = scored.get(documentId) ?? { lengths: [], scores: new Float64Array() }
      readPostings(postings, (nth, count) => {
        const length = lengths[nth] ?? average
        scores[nth]! += (rarity * count * (k1 + 1)) / (count + k1 * (1 - b + (b * length) / average))
      })
    }
  }
  return best(scored, limit)
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const best = (scored: ReadonlyMap<string, { scores: Float64Array }>, limit: number): Ranked[] => {
  const ranked: Ranked[] = []
  for (const [documentId, { scores }] of scored)
    for (const [nth, score] of scores.entries()) if (score > 0) ranked.push({ documentId, nth, score })
  return ranked.toSorted((one, other) => other.score - one.score || one.nth - other.nth).slice(0, limit)
}
