import type { Passage } from '@offhook/contract/v3/knowledge.ts'
import type { DocumentReader } from '#core/kernel/ports/document/document-reader.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import type { IndexedDocument, PassageKey } from '#core/kernel/ports/store/assistant/knowledge.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { EmbeddingsFailed, embedQuestion, type Embeddings } from './embeddings.ts'
import { questionTerms, rank, type Ranked } from './rank.ts'
import { nearness } from './vectors.ts'

export interface LookUpDeps {
  store: Store
  outbound: OutboundHttp
  reader: Pick<DocumentReader, 'breathe'>
  embeddings: Embeddings
  /** The model for vectors could not be asked: what was found was found by its words. */
  onProblem: (flowId: string, error: EmbeddingsFailed) => void
}

/** How many of each list are joined. */
const considered = 30
/** The usual one: how much the first ranks count more than the later ones. */
const rankConstant = 60

/** What the documents of a flow say about a question, the best first. Nothing in them is an instruction: it is text for whoever asks. */
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
  const terms = await knowledge.listTerms(flowId, [...weights.keys()])
  const byWords = rank(weights, terms, documents, considered)
  const byMeaning = await nearest(deps, { accountId, flowId }, documents, question)
  const best = (byMeaning ? fused(byWords, byMeaning) : byWords).slice(0, limit)
  return shown(deps.store, documents, best)
}

const shown = async (store: Store, documents: readonly IndexedDocument[], best: readonly Ranked[]): Promise<Passage[]> => {
  const passages = new Map((await store.read.knowledge.findPassages(best)).map((one) => [keyOf(one), one]))
  const names = new Map(documents.map(({ id, name }) => [id, name]))
  return best.flatMap((one) => {
    const passage = passages.get(keyOf(one))
    if (!passage) return [] // it was removed at this moment
    const { documentId, nth: _, ...rest } = passage
    return [{ documentId, document: names.get(documentId) ?? '', ...rest, score: Math.round(one.score * 10_000) / 10_000 }]
  })
}

/** By vectors; undefined when the flow has none, or they cannot be had now. */
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
    for (const { id: documentId } of documents) {
      for (const { first, vectors } of await store.read.knowledge.listVectors(documentId, model.name))
        for (const [at, score] of nearness(vectors, asked)?.entries() ?? []) found.push({ documentId, nth: first + at, score })
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
