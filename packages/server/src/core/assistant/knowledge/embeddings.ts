import { OutboundFailure, type OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import type { StoredPassage } from '#core/kernel/ports/store/assistant/knowledge.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { compact, writeVectors } from './vectors.ts'

/** A model that makes vectors of texts, spoken to as OpenAI's. */
export interface EmbeddingModel {
  url: string
  name: string
  apiKey?: string | undefined
}

/** The model that the assistant of a flow names, if any. */
export type Embeddings = (accountId: string, flowId: string) => Promise<EmbeddingModel | undefined>

const deadlineMs = 60_000
const questionMs = 2_000
const maxBytes = 32 * 1024 * 1024
const concurrency = 32
const maxNumbers = 8_192

/** Why there are no vectors: a sentence for who configured the model. */
export class EmbeddingsFailed extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'EmbeddingsFailed'
  }
}

interface EmbedDeps {
  store: Store
  outbound: OutboundHttp
  embeddings: Embeddings
}

/** Vectors for the passages of a document, if its flow wants them. Without them it is found by its words, and the reason is given back. */
export const embedPassages = async (
  { store, outbound, embeddings }: EmbedDeps,
  { id, accountId, flowId }: { id: string; accountId: string; flowId: string },
  passages: readonly StoredPassage[],
): Promise<string | undefined> => {
  const model = await embeddings(accountId, flowId)
  if (!model) return undefined
  try {
    for (let first = 0; first < passages.length; first += concurrency) {
      const texts = passages.slice(first, first + concurrency).map(({ heading, text }) => (heading === undefined ? text : `${heading}\n${text}`))
      const vectors = writeVectors(await embed(outbound, model, texts, deadlineMs))
      await store.write(({ knowledge }) => knowledge.addVectors({ documentId: id, first, model: model.name, vectors }))
    }
    return undefined
  } catch (error) {
    if (!(error instanceof EmbeddingsFailed)) throw error
    return `It is found by its words only: ${error.message}`
  }
}

export const embedQuestion = async (outbound: OutboundHttp, model: EmbeddingModel, question: string): Promise<Int8Array> => {
  const [vector = new Int8Array()] = await embed(outbound, model, [question], questionMs)
  return vector
}

const embed = async (
  outbound: OutboundHttp,
  { url, name, apiKey }: EmbeddingModel,
  input: readonly string[],
  ms: number,
): Promise<Int8Array[]> => {
  const headers = { 'content-type': 'application/json', ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) }
  const body = JSON.stringify({ model: name, input })
  const address = `${url.replace(/\/+$/, '')}/embeddings`
  const reply = await outbound
    .request({ method: 'POST', url: address, headers, body, deadlineMs: ms, maxBytes })
    .catch((error: unknown) => {
      throw error instanceof OutboundFailure ? new EmbeddingsFailed(`the model cannot be reached (${error.message})`) : error
    })
  if (reply.status !== 200) throw new EmbeddingsFailed(`the model answered with ${reply.status}`)
  return read(reply.body, input.length).map(compact)
}

const read = (body: Buffer, expected: number): number[][] => {
  const refuse = (): never => {
    throw new EmbeddingsFailed('the model answered with something else than vectors')
  }
  try {
    const { data } = JSON.parse(body.toString()) as { data: { index?: number; embedding: number[] }[] }
    const vectors = data.toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0)).map(({ embedding }) => embedding)
    const size = vectors[0]?.length ?? 0
    const fits = (vector: number[]): boolean => vector.length === size && vector.every((value) => Number.isFinite(value))
    return vectors.length === expected && size > 0 && size <= maxNumbers && vectors.every(fits) ? vectors : refuse()
  } catch {
    return refuse()
  }
}
