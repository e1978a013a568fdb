import { Problem } from '@offhook/contract/problem.ts'
import type { smppLoginOperations } from '@offhook/contract/v1/sms/smpp-login.ts'
import { smsLineOf } from '#core/account/lines/find-line.ts'
import type { ProgramLogin } from '#core/kernel/ports/store/message/programs.ts'
import { createProgramLogin, removeProgramLogin } from '#core/messages/sms/programs/program-login.ts'
import type { Handlers } from '#http/handler/context.ts'
import type { HandlerDeps } from '#http/handler/handler-parts.ts'
import { userActor } from '#core/kernel/audit/audit-by.ts'

export const smppLoginHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'passwords' | 'installation'>,
): Handlers<typeof smppLoginOperations> => {
  const { store, clock, installation } = deps
  const toElement = ({ systemId, createdAt }: ProgramLogin) => ({
    systemId,
    createdAt: new Date(createdAt).toISOString(),
    addresses: installation.smppAddresses(),
  })

  return {
    getSmppLogin: async ({ caller, params }) => {
      const { id } = await smsLineOf(store.read, caller.accountId, params)
      const login = await store.read.programs.findLogin(caller.accountId, id)
      if (!login) throw new Problem('smpp_login_not_found')
      return toElement(login)
    },

    createSmppLogin: async ({ caller, params }) => {
      const { accountId, userId } = caller
      const { id: smsId } = await smsLineOf(store.read, accountId, params)
      if (installation.smppAddresses().length === 0)
        throw new Problem('line_unavailable', 'This installation does not accept SMPP connections (OFFHOOK_SMPP).')
      const { login, password } = await createProgramLogin(deps, { accountId, smsId, actor: userActor(userId) })
      return { ...toElement(login), password }
    },

    deleteSmppLogin: ({ caller, params }) =>
      store.write(async (tables) => {
        const { accountId, userId } = caller
        const { id: smsId } = await smsLineOf(tables, accountId, params)
        await removeProgramLogin(tables, { accountId, smsId, actor: userActor(userId) }, clock.now())
      }),
  }
}
