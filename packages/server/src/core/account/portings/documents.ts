import { Problem } from '@offhook/contract/problem.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import { decodeBase64 } from '#core/kernel/base64.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { PortingDocument } from '#core/kernel/ports/store/number.ts'
import type { UserCaller } from '../identity/caller/caller.ts'

const maxDocuments = 5
const maxBytes = 5 * 1024 * 1024

/** Decodes the uploaded file and checks that it is a PDF. */
export const readPdf = async (base64: string, breathe: () => Promise<void>): Promise<Buffer> => {
  const content = await decodeBase64(base64, breathe)
  if (!content?.subarray(0, 1024).includes('%PDF-')) throw Problem.field('base64Content', 'is no PDF in Base64')
  if (content.length > maxBytes) throw Problem.field('base64Content', 'is larger than 5 MB')
  return content
}

interface NewDocument {
  id: string
  portingId: number
  name: string
  bytes: number
  contentSealed: string
}

/** Call before the transaction: both steps take a while and yield to the event loop. */
export const sealDocument = async (vault: Vault, content: Buffer, breathe: () => Promise<void>): Promise<string> => {
  const text = content.toString('base64')
  await breathe()
  const sealed = vault.seal(text)
  await breathe()
  return sealed
}

export const addDocument = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  { id, portingId, name, bytes, contentSealed }: NewDocument,
): Promise<PortingDocument> => {
  await requirePorting(tables, caller.accountId, portingId)
  const known = await tables.portingDocuments.list(caller.accountId, portingId)
  if (known.length >= maxDocuments) throw new Problem('conflict', `A porting can have at most ${maxDocuments} documents; remove one first.`)
  const document = { id, name, bytes, addedAt: clock.now() }
  await tables.portingDocuments.insert(caller.accountId, portingId, { ...document, contentSealed })
  await auditByUser(tables, clock, caller, 'porting.document', String(portingId), { bytes })
  return document
}

export const removeDocument = async (tables: Tables, clock: Clock, caller: UserCaller, portingId: number, id: string): Promise<void> => {
  await requirePorting(tables, caller.accountId, portingId)
  if (!(await tables.portingDocuments.remove(caller.accountId, portingId, id))) throw new Problem('document_not_found')
  await auditByUser(tables, clock, caller, 'porting.document_remove', String(portingId))
}

export const requirePorting = async (tables: Tables, accountId: string, portingId: number): Promise<void> => {
  if (!(await tables.portings.find(accountId, portingId))) throw new Problem('porting_not_found')
}

export const openDocument = async (
  { portingDocuments }: Tables,
  vault: Vault,
  accountId: string,
  portingId: number,
  id: string,
): Promise<PortingDocument & { content: Buffer }> => {
  const found = await portingDocuments.content(accountId, portingId, id)
  if (!found) throw new Problem('document_not_found')
  const { contentSealed, ...document } = found
  return { ...document, content: Buffer.from(vault.open(contentSealed), 'base64') }
}
