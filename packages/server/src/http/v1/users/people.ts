import { Problem } from '@offhook/contract/problem.ts'
import type { peopleOperations } from '@offhook/contract/v1/users/people.ts'
import { updateUser } from '#core/account/accounts/change-user.ts'
import { activateUser, deactivateUser } from '#core/account/accounts/deactivate-user.ts'
import { requestEmailChange } from '#core/account/accounts/email-change.ts'
import { demand } from '#core/account/identity/caller/permissions.ts'
import { changePassword } from '#core/account/identity/passwords/change-password.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'
import type { Handlers } from '#http/handler/context.ts'
import type { HandlerDeps } from '#http/handler/handler-parts.ts'

export type PeopleDeps = Pick<
  HandlerDeps,
  'store' | 'clock' | 'vault' | 'passwords' | 'authenticator' | 'cleanUps' | 'installation' | 'wake'
>

export const peopleHandlers = (deps: PeopleDeps): Handlers<typeof peopleOperations> => {
  const { store, clock, vault, authenticator, cleanUps: cleanups, installation, wake } = deps
  const linkTo = (nonce: string): string => `${installation.publicUrl()}/console/email/${nonce}`
  return {
    changeUser: async ({ caller, params: { userId }, body, ip }) => {
      const { accountId } = caller
      const { email, active, ...change } = body
      if (change.role !== undefined || active !== undefined) await demand(store, 'CAN_MANAGE_USERS', caller, userId)
      const link = await store.write(async (tables) => {
        const before = await tables.users.find(accountId, userId)
        if (!before) throw new Problem('user_not_found')
        await updateUser(tables, accountId, userId, change)
        if (active === true && !before.active) await activateUser(tables, accountId, userId)
        if (active === false && before.active) await deactivateUser(tables, { clock, cleanUps: cleanups }, accountId, userId, {})
        await auditByUser(tables, clock, caller, 'user.update', userId, { fields: Object.keys(body), role: change.role, active })
        if (email === undefined || email.trim().toLowerCase() === before.email) return undefined
        return requestEmailChange(tables, { clock, vault, linkTo }, { accountId, userId, email, ip })
      })
      authenticator.forget()
      wake()
      return link === undefined || installation.mail ? {} : { emailLink: link }
    },

    deactivateUser: async ({ caller, params: { userId }, query }) => {
      const { accountId } = caller
      await store.write(async (tables) => {
        await deactivateUser(tables, { clock, cleanUps: cleanups }, accountId, userId, query)
        await auditByUser(tables, clock, caller, 'user.deactivate', userId, query)
      })
      authenticator.forget()
      wake()
    },

    changePassword: async ({ caller, params, body, ip }) => {
      if (params.userId !== caller.userId) throw new Problem('forbidden', 'Only the users themselves can change their password.')
      await changePassword(deps, caller, { ...body, ip })
      authenticator.forget()
    },
  }
}
