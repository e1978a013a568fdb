import { defaultGraceDays } from '@offhook/contract/data-subject.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { MailContext } from '#core/kernel/mail/queue-mail.ts'
import type { DataSubject } from '#core/kernel/ports/account.ts'
import type { StoredErasure } from '#core/kernel/ports/store/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { requireErasable } from './cut-off.ts'
import { mailErasure } from './notify.ts'
import { eraseJob, eraseJobId } from './run-erasure.ts'
import { openSubject, referenceOf, sealSubject, typeOfSubject } from './subject.ts'

const dayMs = 24 * 3_600_000

interface ErasureRequest {
  id: string
  subject: DataSubject
  graceDays: number | undefined
  requestedBy: string
}

/** Part of a transaction. */
export const scheduleErasure = async (
  tables: Tables,
  context: MailContext,
  { id, subject, graceDays = defaultGraceDays, requestedBy }: ErasureRequest,
): Promise<StoredErasure> => {
  const { accountId } = subject
  const { clock, vault } = context
  await tables.accounts.lock(accountId)
  const reference = referenceOf(vault, subject)
  if (await tables.erasureRequests.isOpen(accountId, reference)) throw new Problem('erasure_pending')
  await requireErasable(tables, subject)
  const requestedAt = clock.now()
  const request = {
    id,
    subjectType: typeOfSubject(subject),
    reference,
    subjectSealed: sealSubject(vault, subject),
    requestedBy,
    requestedAt,
    state: 'SCHEDULED',
    dueAt: requestedAt + graceDays * dayMs,
  } as const
  await tables.erasureRequests.insert(accountId, request)
  await tables.jobs.schedule(eraseJob({ accountId, id }, request.dueAt))
  const erasure = { ...request, accountId, endedAt: undefined, failure: undefined, report: undefined }
  if (graceDays > 0) await mailErasure(tables, context, 'erasure_scheduled', erasure, userOf(subject))
  return erasure
}

/** Part of a transaction. */
export const cancelErasure = async (
  tables: Tables,
  context: MailContext,
  { accountId, id }: Pick<StoredErasure, 'accountId' | 'id'>,
): Promise<void> => {
  await tables.accounts.lock(accountId)
  const erasure = await tables.erasureRequests.find(accountId, id)
  if (erasure?.state !== 'SCHEDULED') throw new Problem('erasure_not_cancellable')
  await tables.erasureRequests.end(erasure, { state: 'CANCELLED', at: context.clock.now() })
  await tables.jobs.cancel(eraseJobId(id))
  await mailErasure(tables, context, 'erasure_cancelled', erasure, userOf(openSubject(context.vault, erasure.subjectSealed)))
}

const userOf = (subject: DataSubject): string | undefined => (subject.type === 'user' ? subject.userId : undefined)
