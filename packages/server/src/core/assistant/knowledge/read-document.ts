import { eraseDocumentJob } from '#core/account/flows/forget-documents.ts'
import { DocumentUnreadable, type DocumentKind, type DocumentReader } from '#core/kernel/ports/document/document-reader.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import type { DocumentChange, StoredDocument } from '#core/kernel/ports/store/assistant/knowledge.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Task } from '#core/kernel/work/worker.ts'
import { embedPassages, type Embeddings } from './embeddings.ts'
import { fetchPage } from './fetch-page.ts'
import { countPassages, maxPassages } from './limits.ts'
import { eraseContent, writeIndex } from './write-index.ts'

const kind = 'knowledge.read'

export const readJob = (documentId: string, dueAt: number) => ({ id: `${kind}:${documentId}`, kind, payload: { documentId }, dueAt })

export interface KnowledgeDeps {
  store: Store
  outbound: OutboundHttp
  reader: DocumentReader
  embeddings: Embeddings
}

export const knowledgeJobs = (deps: KnowledgeDeps): Record<string, Task> => ({
  [kind]: (payload) => readAndIndex(deps, (payload as { documentId: string }).documentId),
  [eraseDocumentJob]: (payload) => erase(deps, (payload as { documentId: string }).documentId),
})

const erase = async (deps: KnowledgeDeps, documentId: string): Promise<void> => {
  await deps.store.write(({ knowledge }) => knowledge.removeSource(documentId))
  await eraseContent(deps, documentId)
}

/** Ends READY or FAILED. What it had written before a process died is written anew. */
const readAndIndex = async (deps: KnowledgeDeps, id: string): Promise<void> => {
  const { store } = deps
  const document = await store.read.knowledge.findAny(id)
  if (document?.state !== 'PENDING') return
  const change = await understand(deps, document).catch((error: unknown): DocumentChange => {
    if (!(error instanceof DocumentUnreadable)) throw error
    return { state: 'FAILED', problem: error.message }
  })
  if (change.state === 'FAILED') await eraseContent(deps, id)
  await store.write(({ knowledge }) => knowledge.removeSource(id))
  const isThere = await store.write(({ knowledge }) => knowledge.change(id, change))
  if (!isThere) await erase(deps, id) // it was removed meanwhile
}

const understand = async (deps: KnowledgeDeps, document: StoredDocument): Promise<DocumentChange> => {
  const { id, accountId, flowId } = document
  const read = await contentOf(deps, document)
  const paragraphs = await deps.reader.read(read.kind, read.content)
  const others = await deps.store.read.knowledge.list(accountId, flowId)
  const index = await writeIndex(deps, document, paragraphs, maxPassages - countPassages(others))
  if (index === 'too long') throw new DocumentUnreadable(`The flow would have more than ${maxPassages} passages; delete a document first.`)
  const problem = await embedPassages(deps, { id, accountId, flowId }, index.passages)
  return { state: 'READY', kind: read.kind, bytes: read.content.length, lengths: index.lengths, ...(problem !== undefined && { problem }) }
}

const contentOf = async (
  { store, outbound }: KnowledgeDeps,
  { id, kind: known, url, bytes }: StoredDocument,
): Promise<{ kind: DocumentKind; content: Buffer }> => {
  if (url !== undefined) return fetchPage(outbound, url)
  const pieces: Buffer[] = []
  for (let nth = 0; ; nth++) {
    const piece = await store.read.knowledge.source(id, nth)
    if (piece === undefined) break
    pieces.push(Buffer.from(piece, 'base64'))
  }
  const content = Buffer.concat(pieces)
  if (content.length !== bytes) throw new DocumentUnreadable('It did not arrive completely; add it again.')
  return { kind: known, content }
}
