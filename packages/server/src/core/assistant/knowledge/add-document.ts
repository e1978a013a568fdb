import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { StoredDocument } from '#core/kernel/ports/store/assistant.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { countPassages, maxDocumentsOfFlow, maxPassagesOfFlow } from './index-paragraphs.ts'
import { readJob } from './read-document.ts'
import { decodeBase64 } from '#core/kernel/base64.ts'
import type { DocumentKind } from '#core/kernel/ports/files.ts'
import { isWebAddress } from '#core/kernel/webhook/web-address.ts'

/** Bytes per transaction. */
const chunkBytes = 384 * 1024
/** Milliseconds after which an incomplete upload counts as cut off by the end of a process. */
const arrivesMs = 600_000

interface AddDeps {
  store: Store
  clock: Clock
  wake: () => void
  /** Resolves in the next turn of the event loop. */
  breathe: () => Promise<void>
}

/** Stores the document as PENDING; a background job reads and indexes it. */
export const addDocument = async (
  { store, clock, wake, breathe }: AddDeps,
  caller: UserCaller,
  { id, flowId }: { id: string; flowId: string },
  input: DocumentInput,
): Promise<StoredDocument> => {
  const { accountId } = caller
  const { name, kind, url, content } = await readDocument(input, breathe)
  const addedAt = clock.now()
  const added = { id, accountId, flowId, name, kind, url, bytes: content.length, passages: 0, addedAt }
  const document: StoredDocument = { ...added, state: 'PENDING', problem: undefined }
  await store.write(async (tables) => {
    await tables.accounts.lock(accountId)
    if (!(await tables.flows.find(accountId, flowId))) throw new Problem('flow_not_found')
    const present = await tables.knowledge.list(accountId, flowId)
    if (present.length >= maxDocumentsOfFlow || countPassages(present) >= maxPassagesOfFlow) throw new Problem('knowledge_full')
    await tables.knowledge.insert(document)
    await tables.jobs.schedule(readJob(id, addedAt + arrivesMs))
    await auditByUser(tables, clock, caller, 'flow.knowledge.add', flowId)
  })
  // Writes in chunks, because a large file in one transaction would delay calls.
  for (let at = 0; at < content.length; at += chunkBytes) {
    const piece = content.subarray(at, at + chunkBytes).toString('base64')
    await store.write(({ knowledge }) => knowledge.putSource(id, at / chunkBytes, piece))
    await breathe()
  }
  await store.write(({ jobs }) => jobs.schedule(readJob(id, clock.now())))
  wake()
  return document
}

const maxBytes = 20 * 1024 * 1024
const maxNameLength = 200

interface DocumentInput {
  name?: string | undefined
  kind?: DocumentKind | undefined
  text?: string | undefined
  base64?: string | undefined
  url?: string | undefined
}

interface WishedDocument {
  name: string
  kind: DocumentKind
  url: string | undefined
  /** Empty if the content must be fetched from the address. */
  content: Buffer
}

/** Accepts exactly one of `text`, `base64` and `url`; detects the kind if it is not given. */
const readDocument = async ({ name, kind, text, base64, url }: DocumentInput, breathe: () => Promise<void>): Promise<WishedDocument> => {
  const given = Object.entries({ text, base64, url }).filter(([, value]) => value !== undefined)
  if (given.length !== 1) throw Problem.field('text', 'or base64 or url is required: exactly one of them')
  if (url !== undefined) {
    if (!isWebAddress(url)) throw Problem.field('url', 'must be an address with http or https, without a password')
    return { name: (name ?? url).slice(0, maxNameLength), kind: kind ?? 'html', url, content: Buffer.alloc(0) }
  }
  const content = base64 === undefined ? Buffer.from(text ?? '') : await fileOf(base64, breathe)
  const seen = kind ?? kindOf(content, name)
  if (seen === 'pdf' && base64 === undefined) throw Problem.field('text', 'cannot be a PDF: send the file as base64')
  return { name: name ?? firstLine(content, seen), kind: seen, url: undefined, content }
}

const fileOf = async (base64: string, breathe: () => Promise<void>): Promise<Buffer> => {
  const content = await decodeBase64(base64, breathe)
  if (!content || content.length === 0) throw Problem.field('base64', 'is no Base64')
  if (content.length > maxBytes) throw Problem.field('base64', 'is larger than 20 MB')
  return content
}

/** Detects the kind by the first bytes, then by the name. */
const kindOf = (content: Buffer, name = ''): DocumentKind => {
  const beginning = content.subarray(0, 2_000).toString()
  if (beginning.includes('%PDF-')) return 'pdf'
  if (/^\s*(?:<!doctype html|<html)/i.test(beginning) || /\.html?$/i.test(name)) return 'html'
  return /^#{1,6} /m.test(beginning) || /\.(?:md|markdown)$/i.test(name) ? 'markdown' : 'text'
}

const firstLine = (content: Buffer, kind: DocumentKind): string => {
  if (kind === 'pdf') return 'PDF'
  const words = content
    .subarray(0, 1_000)
    .toString()
    .replaceAll(/<[^>]*>|^#+ /gm, ' ')
  return words.trim().split('\n')[0]?.trim().slice(0, 80) || 'Text'
}
