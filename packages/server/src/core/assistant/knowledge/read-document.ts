import { eraseDocumentJob } from '#core/account/flows/change-flow.ts'
import {
  DocumentUnreadable,
  ReaderDied,
  type DocumentKind,
  type DocumentReader,
  type ReadPassage,
  type ReadTerm,
} from '#core/kernel/ports/files.ts'
import { type OutboundHttp, OutboundFailure, type OutboundReply } from '#core/kernel/ports/outbound.ts'
import type { DocumentChange, StoredDocument, StoredPassage, StoredTerm } from '#core/kernel/ports/store/assistant.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { DeferredError, type Task } from '#core/kernel/work/worker.ts'
import { embedPassages, type Embeddings } from './embeddings.ts'
import { countPassages, maxPassagesOfFlow } from './index-paragraphs.ts'
import { isWebAddress } from '#core/kernel/webhook/web-address.ts'
import { userAgent } from '#core/kernel/webhook/standard-webhooks.ts'

const kind = 'knowledge.read'
/** Deaths of the reader process; each counts as an attempt. */
const maxAttempts = 3
const waitMs = 1_000
const killed = 'The service could not read it: its reader died each time. Save it in another format and add it again.'

export const readJob = (documentId: string, dueAt: number) => ({ id: `${kind}:${documentId}`, kind, payload: { documentId }, dueAt })

export interface KnowledgeDeps {
  store: Store
  outbound: OutboundHttp
  reader: DocumentReader
  embeddings: Embeddings
}

interface ReadParts extends KnowledgeDeps {
  /** Aborted when the service ends; the next one starts again. */
  signal: AbortSignal
}

const idOf = (payload: unknown): string => (payload as { documentId: string }).documentId

/** Reads one document per account at a time, so that an account with many does not delay the others. */
export const knowledgeJobs = (deps: ReadParts): Record<string, Task> => {
  const busy = new Set<string>()
  return {
    [kind]: async (payload, { attempts }) => {
      const document = await deps.store.read.knowledge.findAny(idOf(payload))
      if (document?.state !== 'PENDING') return
      const { accountId } = document
      if (busy.has(accountId)) throw new DeferredError('another document of the account is being read', waitMs)
      busy.add(accountId)
      try {
        await readAndIndex(deps, document, attempts >= maxAttempts)
      } finally {
        busy.delete(accountId)
      }
    },
    [eraseDocumentJob]: (payload) => erase(deps, idOf(payload)),
  }
}

/** Fails documents whose jobs crashed the service; they are not read again. */
export const parkedKnowledge = (deps: KnowledgeDeps): Record<string, (payload: unknown) => Promise<void>> => ({
  [kind]: async (payload) => {
    const document = await deps.store.read.knowledge.findAny(idOf(payload))
    if (document?.state === 'PENDING') await close(deps, document.id, { state: 'FAILED', problem: killed })
  },
})

const erase = async (deps: KnowledgeDeps, documentId: string): Promise<void> => {
  await deps.store.write(({ knowledge }) => knowledge.removeSource(documentId))
  await eraseContent(deps, documentId)
}

/** Ends READY or FAILED. Replaces rows written before a process died. */
const readAndIndex = async (deps: ReadParts, document: StoredDocument, isLastAttempt: boolean): Promise<void> => {
  const change = await understand(deps, document).catch((error: unknown): DocumentChange => {
    if (deps.signal.aborted) throw new DeferredError('the service ends', 0)
    if (error instanceof DocumentUnreadable) return { state: 'FAILED', problem: error.message }
    if (error instanceof ReaderDied && isLastAttempt) return { state: 'FAILED', problem: killed }
    throw error
  })
  await close(deps, document.id, change)
}

const close = async (deps: KnowledgeDeps, id: string, change: DocumentChange): Promise<void> => {
  const { store } = deps
  if (change.state === 'FAILED') await eraseContent(deps, id)
  await store.write(({ knowledge }) => knowledge.removeSource(id))
  const isThere = await store.write(({ knowledge }) => knowledge.change(id, change))
  if (!isThere) await erase(deps, id) // removed concurrently
}

const understand = async (deps: ReadParts, document: StoredDocument): Promise<DocumentChange> => {
  const { id, accountId, flowId } = document
  const others = await deps.store.read.knowledge.list(accountId, flowId)
  const maxPassages = maxPassagesOfFlow - countPassages(others)
  const source = await contentOf(deps, document)
  const lengths = await writeIndex(deps, document, deps.reader.read({ ...source, maxPassages, signal: deps.signal }))
  const problem = await embedPassages(deps, { id, accountId, flowId }, lengths.length)
  return { state: 'READY', kind: source.kind, bytes: source.bytes, lengths, ...(problem !== undefined && { problem }) }
}

interface Source {
  kind: DocumentKind
  bytes: number
  content: Iterable<Buffer> | AsyncIterable<Buffer>
}

const contentOf = async ({ store, outbound }: KnowledgeDeps, { id, kind: known, url, bytes }: StoredDocument): Promise<Source> => {
  if (url === undefined) return { kind: known, bytes, content: piecesOf(store, id, bytes) }
  const page = await fetchPage(outbound, url)
  return { kind: page.kind, bytes: page.content.length, content: [page.content] }
}

async function* piecesOf(store: Store, id: string, bytes: number): AsyncGenerator<Buffer> {
  let read = 0
  for (let nth = 0; ; nth++) {
    const piece = await store.read.knowledge.source(id, nth)
    if (piece === undefined) break
    const content = Buffer.from(piece, 'base64')
    read += content.length
    yield content
  }
  if (read !== bytes) throw new DocumentUnreadable('It did not arrive completely; add it again.')
}

const deadlineMs = 20_000
const maxBytes = 5 * 1024 * 1024
const maxRedirects = 3

const kinds: Record<string, DocumentKind> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/plain': 'text',
  'text/markdown': 'markdown',
  'application/pdf': 'pdf',
}

/** Fetches a customer's page: every address, including redirects, must be allowed. */
const fetchPage = async (outbound: OutboundHttp, url: string): Promise<{ kind: DocumentKind; content: Buffer }> => {
  let address = url
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const { status, headers, body } = await ask(outbound, address)
    const location = headers['location']
    if (status >= 300 && status < 400 && location !== undefined) {
      address = next(address, location)
      continue
    }
    if (status !== 200) throw new DocumentUnreadable(`The address answered with ${status}.`)
    const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
    const kind = kinds[type]
    if (!kind)
      throw new DocumentUnreadable(`The address gave ${type === '' ? 'no type' : type.slice(0, 100)}, not a page, a text or a PDF.`)
    return { kind, content: body }
  }
  throw new DocumentUnreadable('The address leads on and on.')
}

const next = (from: string, location: string): string => {
  const url = URL.parse(location, from)?.href ?? ''
  if (!isWebAddress(url)) throw new DocumentUnreadable('The address leads to one that is not http or https.')
  return url
}

const ask = async (outbound: OutboundHttp, url: string): Promise<OutboundReply> => {
  const headers = { accept: 'text/html, text/plain, text/markdown, application/pdf', 'user-agent': userAgent }
  try {
    return await outbound.request({ method: 'GET', url, headers, deadlineMs, maxBytes })
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    throw new DocumentUnreadable(
      error.kind === 'too_large' ? 'The page is larger than 5 MB.' : `The page could not be read: ${error.message}.`,
    )
  }
}

/** Rows and characters per transaction; calls run in between. */
const maxRows = 100
const maxCharacters = 128 * 1024
const erasedPerBatch = 200

interface IndexDeps {
  store: Store
  reader: Pick<DocumentReader, 'breathe'>
}

/** Replaces the index of a document: writes passages and terms as they arrive, in many small transactions. Returns the word count of each passage. */
export const writeIndex = async (
  deps: IndexDeps,
  { id: documentId, flowId }: { id: string; flowId: string },
  read: AsyncIterable<ReadPassage | ReadTerm> | Iterable<ReadPassage | ReadTerm>,
): Promise<number[]> => {
  await eraseContent(deps, documentId)
  const lengths: number[] = []
  const passages = new Batch<StoredPassage>(deps, ({ knowledge }, some) => knowledge.addPassages(some))
  const terms = new Batch<StoredTerm>(deps, ({ knowledge }, some) => knowledge.addTerms(flowId, some))
  for await (const one of read) {
    if ('term' in one) {
      await terms.add({ documentId, ...one }, one.postings.length)
      continue
    }
    await passages.add({ documentId, nth: lengths.length, ...one.passage }, one.passage.text.length)
    lengths.push(one.words)
  }
  await passages.flush()
  await terms.flush()
  return lengths
}

/** Erases the content of a document that was removed or is read again. */
const eraseContent = async ({ store, reader }: IndexDeps, documentId: string): Promise<void> => {
  while (await store.write(({ knowledge }) => knowledge.erase(documentId, erasedPerBatch))) await reader.breathe()
}

/** Rows of one transaction; yields to the event loop after each. */
class Batch<Row> {
  readonly #deps: IndexDeps
  readonly #write: (tables: Tables, rows: readonly Row[]) => Promise<void>
  #rows: Row[] = []
  #characters = 0

  constructor(deps: IndexDeps, write: (tables: Tables, rows: readonly Row[]) => Promise<void>) {
    this.#deps = deps
    this.#write = write
  }

  async add(row: Row, characters: number): Promise<void> {
    this.#rows.push(row)
    this.#characters += characters
    if (this.#rows.length >= maxRows || this.#characters >= maxCharacters) await this.flush()
  }

  async flush(): Promise<void> {
    const rows = this.#rows
    if (rows.length === 0) return
    this.#rows = []
    this.#characters = 0
    await this.#deps.store.write((tables) => this.#write(tables, rows))
    await this.#deps.reader.breathe()
  }
}
