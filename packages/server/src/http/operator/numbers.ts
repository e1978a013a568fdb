import type { OperatorNumber, operatorNumberOperations } from '@offhook/contract/operator/numbers.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Static } from 'typebox'
import { confirmPlace } from '#core/account/addresses/change-address.ts'
import { auditedWrite } from '#core/kernel/audit/audit.ts'
import type { OperatorCaller } from '#core/account/identity/caller/caller.ts'
import { assignNumber, deactivateNumber, reactivateNumber, releaseNumber } from '#core/account/numbers/assign-number.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { AccountNumber } from '#core/kernel/ports/store/number.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { accountsOf } from './accounts-of.ts'
import { toNumberElement } from '../v1/numbers/number-view.ts'

export const operatorNumberHandlers = ({
  store,
  clock,
  wake,
  installation,
}: Pick<HandlerDeps, 'store' | 'clock' | 'wake' | 'installation'>): Handlers<typeof operatorNumberOperations> => {
  /** Changes one number and writes the audit entry. */
  const change = async (
    caller: OperatorCaller,
    id: string,
    action: string,
    work: (tables: Tables, number: AccountNumber) => Promise<void>,
  ) => {
    const note = (number: AccountNumber) => ({ chain: number.accountId, action, target: id })
    await auditedWrite(store, clock, caller, note, async (tables) => {
      const known = await tables.numbers.findAnywhere(id)
      if (known) await tables.accounts.lock(known.accountId)
      const number = known && (await tables.numbers.lock(known.accountId, id))
      if (!number || number.type === 'QUICKDIAL') throw new Problem('number_not_found')
      await work(tables, number)
      return number
    })
    wake()
  }

  const one = async (number: AccountNumber): Promise<Element> => {
    const account = await store.read.accounts.find(number.accountId)
    return toOperatorNumber(number, account?.country ?? '')
  }

  return {
    listAllNumbers: async ({ query }) => {
      const { after = '', limit = 100, offset = 0, accountId, number } = query
      const e164 = number === undefined ? undefined : (parseNumber(number, installation.country)?.e164 ?? number)
      const filter = { ...(accountId !== undefined && { accountId }), ...(e164 !== undefined && { e164 }) }
      const found = await store.read.numbers.page({ after, limit, offset, ...filter })
      return { items: await toOperatorNumbers(store, found) }
    },

    assignNumber: async ({ caller, body, effectId }) => {
      const note = (number: AccountNumber) => ({ chain: number.accountId, action: 'number.assign', target: number.id })
      const assigned = await auditedWrite(store, clock, caller, note, (tables) => assignNumber(tables, clock, effectId, body))
      wake()
      return one(assigned)
    },

    readNumber: async ({ params }) => {
      const number = await store.read.numbers.findAnywhere(params.numberId)
      if (!number || number.type === 'QUICKDIAL') throw new Problem('number_not_found')
      return one(number)
    },

    releaseNumber: ({ caller, params }) =>
      change(caller, params.numberId, 'number.release', (tables, number) => releaseNumber(tables, clock, number)),

    deactivateNumber: ({ caller, params }) => change(caller, params.numberId, 'number.deactivate', deactivateNumber),

    reactivateNumber: ({ caller, params }) => change(caller, params.numberId, 'number.reactivate', reactivateNumber),

    confirmNumber: ({ caller, params }) => change(caller, params.numberId, 'number.confirm', confirmPlace),
  }
}

type Element = Static<typeof OperatorNumber>

const toOperatorNumbers = async (store: Store, numbers: AccountNumber[]): Promise<Element[]> => {
  const accounts = await accountsOf(store, numbers)
  return numbers.map((number) => toOperatorNumber(number, accounts.get(number.accountId)?.country ?? ''))
}

const toOperatorNumber = (number: AccountNumber, country: string): Element => ({
  ...toNumberElement(number, country),
  accountId: number.accountId,
  ...(number.addressId !== undefined && { addressId: String(number.addressId) }),
  ...(number.decideBy !== undefined && { decideBy: new Date(number.decideBy).toISOString() }),
})
