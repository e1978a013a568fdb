import { Problem } from '@offhook/contract/problem.ts'
import type { faxOperations } from '@offhook/contract/v2/faxes.ts'
import { findFaxEntry } from '#core/messages/fax/papers/find-fax.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { HistoryEntry, Paper } from '#core/kernel/ports/store/call.ts'
import { isSafeName } from '#core/telephone/recordings/recording-links.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import type { FileReply } from '../reply/send-file.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

export const faxHandlers = ({
  store,
  clock,
  faxFiles,
}: Pick<HandlerDeps, 'store' | 'clock' | 'faxFiles'>): Handlers<typeof faxOperations> => {
  const give = async (caller: UserCaller, faxId: string, kind: Paper): Promise<FileReply> => {
    const { accountId } = caller
    const entry = isSafeName(faxId) ? await findFaxEntry(store.read, caller, faxId) : undefined
    const file = entry?.detail.papers?.includes(kind) ? await faxFiles.open({ accountId, faxId, kind }) : undefined
    if (!entry || !file) throw new Problem('fax_not_found')
    try {
      await store.write((tables) => auditByUser(tables, clock, caller, 'fax.read', faxId, { kind }))
    } catch (error) {
      await file.close()
      throw error
    }
    return { file, name: nameOf(entry, kind), tag: `${faxId}.${kind}.${file.bytes}.${file.changedAt}` }
  }

  return {
    getFaxDocument: ({ caller, params: { faxId } }) => give(caller, faxId, 'document'),
    getFaxReport: ({ caller, params: { faxId } }) => give(caller, faxId, 'report'),
    getFaxPreview: ({ caller, params: { faxId } }) => give(caller, faxId, 'preview'),
  }
}

const nameOf = ({ createdAt }: HistoryEntry, kind: Paper): string => {
  const when = new Date(createdAt).toISOString().slice(0, 19).replaceAll(':', '-')
  return `fax-${kind}-${when}Z.${kind === 'preview' ? 'png' : 'pdf'}`
}
