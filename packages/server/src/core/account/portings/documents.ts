import { Problem } from '@offhook/contract/problem.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { PortingDocument } from '#core/kernel/ports/store/number/porting-documents.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import type { UserCaller } from '../identity/caller/caller.ts'

const maxDocuments = 5
const maxBytes = 5 * 1024 * 1024

/** The file that was sent, if it is what it says. */
export const readPdf = (base64: string): Buffer => {
  const content = Buffer.from(base64, 'base64')
  if (/[^A-Za-z0-9+/=\s]/.test(base64) || !content.subarray(0, 1024).includes('%PDF-'))
    throw Problem.field('base64Content', 'is no PDF in Base64')
  if (content.length > maxBytes) throw Problem.field('base64Content', 'is larger than 5 MB')
  return content
}

export interface NewDocument {
  id: string
  portingId: number
  name: string
  content: Buffer
}

export const addDocument = async (
  tables: Tables,
  { clock, vault }: { clock: Clock; vault: Vault },
  caller: UserCaller,
  { id, portingId, name, content }: NewDocument,
): Promise<PortingDocument> => {
  await requirePorting(tables, caller.accountId, portingId)
  const known = await tables.portingDocuments.list(caller.accountId, portingId)
  if (known.length >= maxDocuments)
    throw new Problem('conflict', `A porting can have at most ${maxDocuments} documents; remove one first.`)
  const document = { id, name, bytes: content.length, addedAt: clock.now() }
  const contentSealed = vault.seal(content.toString('base64'))
  await tables.portingDocuments.insert(caller.accountId, portingId, { ...document, contentSealed })
  await auditByUser(tables, clock, caller, 'porting.document', String(portingId), { bytes: content.length })
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
