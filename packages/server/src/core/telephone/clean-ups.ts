import type { CleanUps } from '#core/kernel/ports/account.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { eraseOfAccount, eraseOfUser } from './recordings/recording-jobs.ts'
import { eraseTimelinesOf } from './timeline/timeline-sweep.ts'

/** Erases push subscriptions, recordings, timelines, routing rules and calendars with their user or account. */
export const telephoneCleanUps = (clock: Clock): Pick<CleanUps, 'userLeaves' | 'userPauses' | 'accountCloses'> => ({
  async userLeaves(tables, accountId, userId) {
    await tables.pushSubscriptions.removeOfUser(accountId, userId)
    await eraseOfUser(tables, accountId, userId, clock.now())
  },
  userPauses: (tables, accountId, userId) => tables.pushSubscriptions.removeOfUser(accountId, userId),
  async accountCloses(tables, accountId) {
    await tables.pushSubscriptions.removeOfAccount(accountId)
    await eraseOfAccount(tables, accountId, clock.now())
    await eraseTimelinesOf(tables, accountId, clock.now())
    await tables.routingRules.removeOf(accountId)
    await tables.schedules.removeOf(accountId)
    await tables.calendars.removeOf(accountId)
  },
})
