import type { Passage } from '@offhook/contract/v3/knowledge.ts'
import type { DocumentReader } from '#core/kernel/ports/files.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound.ts'
import type { IndexedDocument, PassageKey, StoredTerm } from '#core/kernel/ports/store/assistant.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { EmbeddingsFailed, embedQuestion, type Embeddings, nearness } from './embeddings.ts'
import { countPostings, readPostings, piecesOf, stemOf, wordsOf } from './index-paragraphs.ts'

interface LookUpDeps {
  store: Store
  outbound: OutboundHttp
  reader: Pick<DocumentReader, 'breathe'>
  embeddings: Embeddings
  /** Called when the embedding model failed and the search used words only. */
  onProblem: (flowId: string, error: EmbeddingsFailed) => void
}

/** Results of each list that are merged. */
const considered = 30
/** Terms per read: in a large flow each has a list of 20,000 passages. */
const termsAtOnce = 8
/** Vector rows per read; a row is a third of a megabyte at most. */
const vectorsAtOnce = 4
/** Usual constant of reciprocal rank fusion: how much more the first ranks count than later ones. */
const rankConstant = 60

/** Passages of a flow's documents for a question, best first. They are data for the caller of this function, never instructions. */
export const lookUp = async (
  deps: LookUpDeps,
  { accountId, flowId }: { accountId: string; flowId: string },
  question: string,
  limit: number,
): Promise<Passage[]> => {
  const { knowledge } = deps.store.read
  const documents = await knowledge.listIndexed(accountId, flowId)
  if (documents.length === 0) return []
  const weights = questionTerms(question)
  const terms = [...weights.keys()]
  const ranking = new Ranking(weights, documents)
  for (let from = 0; from < terms.length; from += termsAtOnce) {
    ranking.add(await knowledge.listTerms(flowId, terms.slice(from, from + termsAtOnce)))
    await deps.reader.breathe()
  }
  const byWords = ranking.best(considered)
  const byMeaning = await nearest(deps, { accountId, flowId }, documents, question)
  const best = (byMeaning ? fused(byWords, byMeaning) : byWords).slice(0, limit)
  return shown(deps.store, documents, best)
}

const shown = async (store: Store, documents: readonly IndexedDocument[], best: readonly Ranked[]): Promise<Passage[]> => {
  const passages = new Map((await store.read.knowledge.findPassages(best)).map((one) => [keyOf(one), one]))
  const names = new Map(documents.map(({ id, name }) => [id, name]))
  return best.flatMap((one) => {
    const passage = passages.get(keyOf(one))
    if (!passage) return [] // removed concurrently
    const { documentId, nth: _, ...rest } = passage
    return [{ documentId, document: names.get(documentId) ?? '', ...rest, score: Math.round(one.score * 10_000) / 10_000 }]
  })
}

/** Ranks by vectors; undefined if the flow has none or they are unavailable. */
const nearest = async (
  { store, outbound, reader, embeddings, onProblem }: LookUpDeps,
  { accountId, flowId }: { accountId: string; flowId: string },
  documents: readonly IndexedDocument[],
  question: string,
): Promise<Ranked[] | undefined> => {
  const model = await embeddings(accountId, flowId)
  if (!model) return undefined
  try {
    const asked = await embedQuestion(outbound, model, question)
    const found: Ranked[] = []
    for (const { id: documentId } of documents)
      for (let from = 0, isMore = true; isMore;) {
        const rows = await store.read.knowledge.listVectors({ documentId, model: model.name, from, limit: vectorsAtOnce })
        for (const { first, vectors } of rows)
          for (const [at, score] of nearness(vectors, asked)?.entries() ?? []) found.push({ documentId, nth: first + at, score })
        from = (rows.at(-1)?.first ?? 0) + 1
        isMore = rows.length === vectorsAtOnce
        await reader.breathe()
      }
    return found.toSorted((one, other) => other.score - one.score).slice(0, considered)
  } catch (error) {
    if (!(error instanceof EmbeddingsFailed)) throw error
    onProblem(flowId, error)
    return undefined
  }
}

/** Reciprocal rank fusion: scores of different kinds cannot be added, ranks can. */
const fused = (...lists: readonly Ranked[][]): Ranked[] => {
  const scores = new Map<string, Ranked>()
  for (const list of lists)
    for (const [place, one] of list.entries()) {
      const score = (scores.get(keyOf(one))?.score ?? 0) + 1 / (rankConstant + place + 1)
      scores.set(keyOf(one), { ...one, score })
    }
  return [...scores.values()].toSorted((one, other) => other.score - one.score)
}

const keyOf = ({ documentId, nth }: PassageKey): string => `${documentId} ${nth}`

interface Ranked {
  documentId: string
  nth: number
  score: number
}

/** Usual BM25 parameters. */
const k1 = 1.2
const b = 0.5
/** Weight of the parts of a word relative to the word itself; tuned with `test/support/knowledge`. */
const pieceWeight = 0.6

/** Terms of a question with their weights. */
const questionTerms = (question: string): Map<string, number> => {
  const weights = new Map<string, number>()
  const add = (term: string, weight: number): void => void weights.set(term, Math.max(weights.get(term) ?? 0, weight))
  for (const word of wordsOf(question)) {
    add(stemOf(word), 1)
    const pieces = piecesOf(word)
    for (const piece of pieces) add(piece, pieceWeight / Math.sqrt(pieces.length))
  }
  return weights
}

/** Scores passages term by term: a question may have a thousand terms, and a term 20,000 passages. */
class Ranking {
  readonly #weights: ReadonlyMap<string, number>
  readonly #scored: ReadonlyMap<string, { lengths: readonly number[]; scores: Float64Array }>
  readonly #passages: number
  readonly #average: number

  constructor(weights: ReadonlyMap<string, number>, documents: readonly Pick<IndexedDocument, 'id' | 'lengths'>[]) {
    this.#weights = weights
    this.#scored = new Map(documents.map(({ id, lengths }) => [id, { lengths, scores: new Float64Array(lengths.length) }]))
    this.#passages = sum(documents.map(({ lengths }) => lengths.length))
    this.#average = sum(documents.map(({ lengths }) => sum(lengths))) / Math.max(1, this.#passages)
  }

  /** Adds all stored postings of these terms. */
  add(terms: readonly StoredTerm[]): void {
    for (const [term, found] of Map.groupBy(terms, ({ term: one }) => one)) {
      const known = found.filter(({ documentId }) => this.#scored.has(documentId))
      const inPassages = sum(known.map(({ postings }) => countPostings(postings)))
      const rarity = Math.log(1 + (this.#passages - inPassages + 0.5) / (inPassages + 0.5)) * (this.#weights.get(term) ?? 0)
      for (const one of known) this.#score(one, rarity)
    }
  }

  /** Best passages first. */
  best(limit: number): Ranked[] {
    const ranked: Ranked[] = []
    for (const [documentId, { scores }] of this.#scored)
      for (const [nth, score] of scores.entries()) if (score > 0) ranked.push({ documentId, nth, score })
    return ranked.toSorted((one, other) => other.score - one.score || one.nth - other.nth).slice(0, limit)
  }

  #score({ documentId, postings }: StoredTerm, rarity: number): void {
    const { lengths, scores } = this.#scored.get(documentId) ?? { lengths: [], scores: new Float64Array() }
    const average = this.#average
    readPostings(postings, (nth, count) => {
      const length = lengths[nth] ?? average
      scores[nth]! += (rarity * count * (k1 + 1)) / (count + k1 * (1 - b + (b * length) / average))
    })
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
