import { parseBoundedJson } from '@offhook/contract/bounded-json.ts'
import { OutboundFailure, type OutboundHttp } from '#core/kernel/ports/outbound.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { openSecrets } from '#core/account/assistants/secrets.ts'
import type { StoredAssistant } from '#core/kernel/ports/store/assistant.ts'
import type { Vault } from '#core/kernel/ports/platform.ts'

/** Embedding model with OpenAI's interface. */
interface EmbeddingModel {
  url: string
  name: string
  apiKey?: string | undefined
}

/** Embedding model that a flow's assistant names, if any. */
export type Embeddings = (accountId: string, flowId: string) => Promise<EmbeddingModel | undefined>

const deadlineMs = 60_000
const questionMs = 2_000
const maxNumbers = 8_192
/** Numbers in all vectors of one answer: reading more would delay calls. */
const maxNumbersAtOnce = 8 * maxNumbers
const maxBytes = 2_500_000
const maxTextsAtOnce = 32
/** Texts in the first request, while the vector length is unknown. */
const firstTexts = maxNumbersAtOnce / maxNumbers

/** Reason for missing vectors: a sentence for the person who configured the model. */
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

/** Stores vectors for a document's passages if its flow wants them. Without them the document is found by its words, and the reason is returned. */
export const embedPassages = async (
  { store, outbound, embeddings }: EmbedDeps,
  { id, accountId, flowId }: { id: string; accountId: string; flowId: string },
  passages: number,
): Promise<string | undefined> => {
  const model = await embeddings(accountId, flowId)
  if (!model) return undefined
  try {
    let batchSize = firstTexts
    for (let first = 0; first < passages;) {
      const texts = await textsOf(store, id, first, Math.min(batchSize, passages - first))
      const vectors = await embed(outbound, model, texts, deadlineMs)
      const row = { documentId: id, first, model: model.name, vectors: writeVectors(vectors) }
      await store.write(({ knowledge }) => knowledge.addVectors(row))
      first += texts.length
      batchSize = Math.min(maxTextsAtOnce, Math.floor(maxNumbersAtOnce / (vectors[0]?.length ?? maxNumbers)))
    }
    return undefined
  } catch (error) {
    if (!(error instanceof EmbeddingsFailed)) throw error
    return `It is found by its words only: ${error.message}`
  }
}

const textsOf = async (store: Store, documentId: string, first: number, count: number): Promise<string[]> => {
  const found = await store.read.knowledge.findPassages(Array.from({ length: count }, (_, at) => ({ documentId, nth: first + at })))
  return found
    .toSorted((one, other) => one.nth - other.nth)
    .map(({ heading, text }) => (heading === undefined ? text : `${heading}\n${text}`))
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
    const { data } = parseBoundedJson(body.toString(), { maxValues: 2 * maxNumbersAtOnce }) as {
      data: { index?: number; embedding: number[] }[]
    }
    const vectors = data.toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0)).map(({ embedding }) => embedding)
    const size = vectors[0]?.length ?? 0
    const fits = (vector: number[]): boolean => vector.length === size && vector.every((value) => Number.isFinite(value))
    return vectors.length === expected && size > 0 && size <= maxNumbers && vectors.every(fits) ? vectors : refuse()
  } catch {
    return refuse()
  }
}

/** One byte per number is precise enough for ranking, and a tenth of its size as text. */
const scale = 127

/** Unit vector, scaled to integers. */
const compact = (vector: readonly number[]): Int8Array => {
  const length = Math.hypot(...vector) || 1
  return Int8Array.from(vector, (value) => Math.round((value / length) * scale))
}

const writeVectors = (vectors: readonly Int8Array[]): string =>
  Buffer.concat(vectors.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength))).toString('base64')

/** Dot product with each stored vector, in order; undefined if their sizes differ. */
export const nearness = (text: string, to: Int8Array): number[] | undefined => {
  const bytes = Buffer.from(text, 'base64')
  const all = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (to.length === 0 || all.length % to.length !== 0) return undefined
  return Array.from({ length: all.length / to.length }, (_, nth) => {
    let sum = 0
    for (let at = 0, from = nth * to.length; at < to.length; at++) sum += all[from + at]! * to[at]!
    return sum / (scale * scale)
  })
}

/** Model of the version that takes calls; the draft's if there is no version yet. */
export const embeddingModel = async (
  { assistants }: Pick<Tables, 'assistants'>,
  vault: Vault,
  accountId: string,
  flowId: string,
): Promise<EmbeddingModel | undefined> => {
  const rollout = await assistants.rollout(accountId, flowId)
  const holder = rollout ? await assistants.version(accountId, flowId, rollout.stable) : await assistants.draft(accountId, flowId)
  return holder && modelOf(vault, holder.settings)
}

const modelOf = (vault: Vault, kept: StoredAssistant): EmbeddingModel | undefined => {
  if (!kept.knowledge?.embeddings) return undefined
  const { embeddings } = openSecrets(vault, kept).knowledge ?? {}
  return embeddings && { url: embeddings.url, name: embeddings.name, apiKey: embeddings.api_key ?? undefined }
}
