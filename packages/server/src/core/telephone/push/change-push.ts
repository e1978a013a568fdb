import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { requirePushUrl } from './push-url.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { PushSetting } from '#core/kernel/ports/store/push/push-settings.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'

export const noPush: PushSetting = { incomingUrl: '', outgoingUrl: '', log: false, whitelist: undefined }

export interface PushChange {
  incomingUrl: string
  outgoingUrl: string
  /** Left out: as it was. */
  log?: boolean
  /** Null: all phone lines and groups. Left out: as it was. */
  whitelist?: string[] | null
}

export const changePush = async (tables: Tables, clock: Clock, caller: UserCaller, change: PushChange): Promise<void> => {
  const { accountId } = caller
  const { incomingUrl, outgoingUrl } = change
  requirePushUrl('incomingUrl', incomingUrl)
  requirePushUrl('outgoingUrl', outgoingUrl)
  const present = (await tables.pushSettings.find(accountId)) ?? noPush
  const whitelist = change.whitelist === undefined ? present.whitelist : (change.whitelist ?? undefined)
  if (change.whitelist) await requireLines(tables, accountId, change.whitelist)
  await tables.pushSettings.save(accountId, { incomingUrl, outgoingUrl, log: change.log ?? present.log, whitelist })
  // The addresses may hold a password, so the log only says that they were changed.
  await auditByUser(tables, clock, caller, 'push.change', accountId)
}

const requireLines = async (tables: Tables, accountId: string, whitelist: readonly string[]): Promise<void> => {
  for (const [position, id] of whitelist.entries()) {
    const extension = await tables.extensions.find(accountId, id)
    if (extension?.kind !== 'p' && extension?.kind !== 'g')
      throw Problem.field(`whitelist/${position}`, 'is not a phone line or group of this account')
  }
}
