import type { CleanUps } from '#core/kernel/ports/account.ts'
import { assistantCleanUps } from '#core/assistant/clean-ups.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { messageCleanUps } from '#core/messages/clean-ups.ts'
import { telephoneCleanUps } from '#core/telephone/clean-ups.ts'

/** Clean-ups of all modules, in sequence. */
export const allCleanUps = (clock: Clock): CleanUps => {
  const messages = messageCleanUps(clock)
  const telephone = telephoneCleanUps(clock)
  const assistants = assistantCleanUps(clock)
  return {
    async userLeaves(tables, accountId, userId) {
      await messages.userLeaves(tables, accountId, userId)
      await telephone.userLeaves(tables, accountId, userId)
    },
    async userPauses(tables, accountId, userId) {
      await messages.userPauses(tables, accountId, userId)
      await telephone.userPauses(tables, accountId, userId)
    },
    async accountCloses(tables, accountId) {
      await messages.accountCloses(tables, accountId)
      await telephone.accountCloses(tables, accountId)
      await assistants.accountCloses(tables, accountId)
    },
    faxlineGoes: (tables, accountId, faxlineId) => messages.faxlineGoes(tables, accountId, faxlineId),
  }
}
