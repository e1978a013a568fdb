import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { orderingAccount } from '#core/money/paid-order.ts'
import { readCallee, type Side } from '#core/telephone/orders/parties.ts'
import { requireOwnNumber, readCallerId } from '#core/telephone/orders/start-call.ts'
import { fetchAnnouncement } from './announce.ts'
import type { Calls } from '../state/calls.ts'

export interface Transfer {
  attended: boolean
  phoneNumber: string
  callerId?: string
}

/** Reads the target like any dialled number: E.164, national format, quick dial or extension. */
export const transferCall = async (store: Store, calls: Calls, user: UserCaller, callId: string, transfer: Transfer): Promise<void> => {
  const account = await orderingAccount(store, user.accountId)
  const { party, premium } = await readTarget(store, account, transfer.phoneNumber)
  const callerId = transfer.callerId === undefined ? undefined : readCallerId(account, transfer.callerId)
  const call = calls.getEstablished(user, callId)
  if (premium || party.kind === 'emergency' || party.kind === 'short' || party.kind === 'flow') throw new Problem('destination_blocked')
  if (callerId !== undefined) await requireOwnNumber(store.read, account.id, callerId)
  const to = party.kind === 'extension' ? party.id : party.e164
  await call.transfer({ userId: user.userId, to, attended: transfer.attended, callerId })
}

const readTarget = async (store: Store, account: Account, phoneNumber: string): Promise<Side> => {
  try {
    return await readCallee(store.read, account, phoneNumber, undefined)
  } catch (error) {
    if (error instanceof Problem && error.code === 'callee_invalid')
      throw Problem.field('phoneNumber', 'is not a valid phone number', 'number_invalid')
    throw error
  }
}

interface AnnouncementOrder {
  user: UserCaller
  callId: string
  /** Address of the sound file. */
  url: string
}

export const announceInCall = async (calls: Calls, outbound: OutboundHttp, { user, callId, url }: AnnouncementOrder): Promise<void> => {
  const problem = problemOf(url)
  if (problem !== undefined) throw Problem.field('url', problem)
  const call = calls.getEstablished(user, callId)
  await call.announce(() => fetchAnnouncement(outbound, url))
}

const problemOf = (url: string): string | undefined => {
  const { protocol, username, password } = URL.parse(url) ?? {}
  if (protocol !== 'http:' && protocol !== 'https:') return 'must be an http or https address'
  return username || password ? 'must not contain a user name or password' : undefined
}
