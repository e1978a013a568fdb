import type { smsOperations } from '@offhook/contract/v1/sms.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { smsLineOf } from '#core/account/lines/find-line.ts'
import { rowId } from '#core/account/lines/row-id.ts'
import { newCode, requestCallerId, setDefaultCallerId, tryCode } from '#core/messages/sms/sending/sms-caller-id.ts'
import type { SmsCallerId, SmsLine } from '#core/kernel/ports/store/line/sms-lines.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'
import { smppLoginHandlers } from './sms/smpp-login.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'

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
