import { documentReader } from '#adapters/documents/document-reader.ts'
import { startLimited } from '#adapters/fax/limited-child.ts'
import type { Embeddings } from '#core/assistant/knowledge/embeddings.ts'
import { lookUp } from '#core/assistant/knowledge/look-up.ts'
import type { KnowledgeParts } from '#core/assistant/knowledge/read-document.ts'
import type { HandlerParts } from '#http/handler/handler-parts.ts'

/** What assistants can look up. */
export interface OpenKnowledge {
  /** To read and index it. */
  knowledge: KnowledgeParts
  lookUp: HandlerParts['lookUp']
}

export const openKnowledge = ({ store, outbound, log }: Pick<HandlerParts, 'store' | 'outbound' | 'log'>): OpenKnowledge => {
  const embeddings: Embeddings = () => Promise.resolve(undefined)
  const knowledge: KnowledgeParts = { store, outbound, reader: documentReader({ startLimited }), embeddings }
  const onProblem = (flowId: string, error: Error): void => log('knowledge_embeddings_failed', { err: error, flowId })
  return { knowledge, lookUp: (flow, question, limit) => lookUp({ ...knowledge, onProblem }, flow, question, limit) }
}
