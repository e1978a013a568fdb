import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller.ts'
import { parseNumber } from '../numbers/phone-number.ts'
import type { Store } from '../ports/store/index.ts'
import { orderingAccount } from '../sessions/paid-order.ts'
import { demandOwnNumber, readCallerId } from '../sessions/start-call.ts'
import type { Calls } from './calls.ts'

export interface Transfer {
  attended: boolean
  phoneNumber: string
  callerId?: string
}

/** The new number is read like any dialled one: with the plus sign, or as in the account's country. */
export const transferCall = async (store: Store, calls: Calls, user: UserCaller, callId: string, transfer: Transfer): Promise<void> => {
  const account = await orderingAccount(store, user.accountId)
  const target = parseNumber(transfer.phoneNumber, account.country)
  if (!target) throw Problem.field('phoneNumber', 'is not a valid phone number', 'number_invalid')
  const callerId = transfer.callerId === undefined ? undefined : readCallerId(account, transfer.callerId)
  const call = calls.getEstablished(user, callId)
  if (target.premium) throw new Problem('destination_blocked')
  if (callerId !== undefined) await demandOwnNumber(store.read, account.id, callerId)
  await call.transfer(target.e164, { attended: transfer.attended, callerId })
}

export const announceInCall = async (calls: Calls, user: UserCaller, callId: string, url: string): Promise<void> => {
  if (!isWebAddress(url)) throw Problem.field('url', 'must be an http or https address')
  await calls.getEstablished(user, callId).announce(url)
}

const isWebAddress = (url: string): boolean => URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol)
