import type { smsOperations } from '@offhook/contract/v1/sms.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { smsLineOf } from '#core/account/lines/find-line.ts'
import { rowId } from '#core/account/lines/row-id.ts'
import { newCode, requestCallerId, setDefaultCallerId, tryCode } from '#core/messages/sms/sending/sms-caller-id.ts'
import type { SmsCallerId, SmsLine } from '#core/kernel/ports/store/line.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { auditByUser, userActor } from '#core/kernel/audit/audit.ts'
import type { smppLoginOperations } from '@offhook/contract/v1/sms/smpp-login.ts'
import type { ProgramLogin } from '#core/kernel/ports/store/message.ts'
import { createProgramLogin, removeProgramLogin } from '#core/messages/sms/programs/program-login.ts'

export const smsHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'sms' | 'wake' | 'passwords' | 'installation'>,
): Handlers<typeof smsOperations> => ({ ...extensionHandlers(deps), ...smppLoginHandlers(deps) })

type ExtensionHandlers = Omit<Handlers<typeof smsOperations>, keyof ReturnType<typeof smppLoginHandlers>>

const extensionHandlers = ({ store, clock, sms, wake }: Pick<HandlerDeps, 'store' | 'clock' | 'sms' | 'wake'>): ExtensionHandlers => ({
  listSms: async ({ caller, params }) => {
    const lines = await store.read.smsLines.list(caller.accountId, params.userId)
    return { items: lines.map(toSmsElement) }
  },

  getSms: async ({ caller, params }) => toSmsElement(await smsLineOf(store.read, caller.accountId, params)),

  changeSms: ({ caller, params, body }) =>
    store.write(async (tables) => {
      const { id } = await smsLineOf(tables, caller.accountId, params)
      await tables.extensions.setAlias(caller.accountId, id, body.alias)
    }),

  listSmsCallerIds: async ({ caller, params }) => {
    const { id } = await smsLineOf(store.read, caller.accountId, params)
    const callerIds = await store.read.smsLines.callerIds(caller.accountId, id)
    return { items: callerIds.map(toCallerIdElement) }
  },

  createSmsCallerId: async ({ caller, params, body }) => {
    const code = newCode()
    const callerId = await store.write(async (tables) => {
      const line = await smsLineOf(tables, caller.accountId, params)
      return requestCallerId(tables, { clock, sms }, caller.accountId, { line, phonenumber: body.phonenumber, code })
    })
    wake()
    return toCallerIdElement(callerId)
  },

  verifySmsCallerId: async ({ caller, params, body }) => {
    const right = await store.write(async (tables) => {
      const line = await smsLineOf(tables, caller.accountId, params)
      const id = rowId(params.callerIdId)
      if (!(await tryCode(tables, clock, caller.accountId, { line, id, code: body.code }))) return false
      await auditByUser(tables, clock, caller, 'sms.callerid', line.id, { id })
      return true
    })
    if (!right) throw new Problem('verification_code_unknown')
  },

  changeSmsCallerId: ({ caller, params, body }) =>
    store.write(async (tables) => {
      const line = await smsLineOf(tables, caller.accountId, params)
      const choice = { line, id: rowId(params.callerIdId), wanted: body.defaultNumber }
      await setDefaultCallerId(tables, caller.accountId, choice)
    }),

  deleteSmsCallerId: ({ caller, params }) =>
    store.write(async (tables) => {
      const { id } = await smsLineOf(tables, caller.accountId, params)
      if (!(await tables.smsLines.removeCallerId(caller.accountId, id, rowId(params.callerIdId)))) throw new Problem('caller_id_not_found')
    }),
})

const toSmsElement = ({ id, alias, callerId = '' }: SmsLine) => ({ id, alias, callerId })

const toCallerIdElement = ({ id, phoneNumber, verified, isDefault }: SmsCallerId) => ({
  id: String(id),
  phonenumber: phoneNumber,
  verified,
  defaultNumber: isDefault,
})

const smppLoginHandlers = (
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
