import { documentReader } from '#adapters/documents/document-reader.ts'
import { startLimited } from '#adapters/fax/limited-child.ts'
import { embeddingModel } from '#core/assistant/knowledge/embedding-model.ts'
import type { Embeddings } from '#core/assistant/knowledge/embeddings.ts'
import { lookUp } from '#core/assistant/knowledge/look-up.ts'
import type { KnowledgeDeps } from '#core/assistant/knowledge/read-document.ts'
import type { HandlerDeps } from '#http/handler/handler-parts.ts'

/** What assistants can look up. */
export interface OpenKnowledge {
  /** To read and index it. */
  knowledge: KnowledgeDeps
  lookUp: HandlerDeps['lookUp']
}

export const openKnowledge = ({
  store,
  outbound,
  vault,
  log,
}: Pick<HandlerDeps, 'store' | 'outbound' | 'vault' | 'log'>): OpenKnowledge => {
  const embeddings: Embeddings = (accountId, flowId) => embeddingModel(store.read, vault, accountId, flowId)
  const knowledge: KnowledgeDeps = { store, outbound, reader: documentReader({ startLimited }), embeddings }
  const onProblem = (flowId: string, error: Error): void => log('knowledge_embeddings_failed', { err: error, flowId })
  return { knowledge, lookUp: (flow, question, limit) => lookUp({ ...knowledge, onProblem }, flow, question, limit) }
}
