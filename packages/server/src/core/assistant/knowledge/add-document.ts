import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { StoredDocument } from '#core/kernel/ports/store/assistant/knowledge.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { readDocument, type DocumentInput } from './document-wish.ts'
import { countPassages, maxDocuments, maxPassages } from './limits.ts'
import { readJob } from './read-document.ts'

/** Bytes that are written in one transaction. */
const chunkBytes = 384 * 1024
/** What has not arrived by then was cut off by the end of a process. */
const arrivesMs = 600_000

export interface AddDeps {
  store: Store
  clock: Clock
  wake: () => void
}

/** It is read and indexed in the background; until then it is PENDING. */
export const addDocument = async (
  { store, clock, wake }: AddDeps,
  caller: UserCaller,
  { id, flowId }: { id: string; flowId: string },
  input: DocumentInput,
): Promise<StoredDocument> => {
  const { accountId } = caller
  const { name, kind, url, content } = readDocument(input)
  const addedAt = clock.now()
  const added = { id, accountId, flowId, name, kind, url, bytes: content.length, passages: 0, addedAt }
  const document: StoredDocument = { ...added, state: 'PENDING', problem: undefined }
  await store.write(async (tables) => {
    await tables.accounts.lock(accountId)
    if (!(await tables.flows.find(accountId, flowId))) throw new Problem('flow_not_found')
    const present = await tables.knowledge.list(accountId, flowId)
    if (present.length >= maxDocuments || countPassages(present) >= maxPassages) throw new Problem('knowledge_full')
    await tables.knowledge.insert(document)
    await tables.jobs.schedule(readJob(id, addedAt + arrivesMs))
    await auditByUser(tables, clock, caller, 'flow.knowledge.add', flowId)
  })
  // Piece by piece, because a large file in one transaction would hold up calls.
  for (let at = 0; at < content.length; at += chunkBytes) {
    const piece = content.subarray(at, at + chunkBytes).toString('base64')
    await store.write(({ knowledge }) => knowledge.putSource(id, at / chunkBytes, piece))
  }
  await store.write(({ jobs }) => jobs.schedule(readJob(id, clock.now())))
  wake()
  return document
}
