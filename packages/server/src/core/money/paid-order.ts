import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import { writeWithinDay } from './day-alarm.ts'
import { noteRefusals, type Spender } from './leash.ts'
import { release } from './reservations.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Orders } from '#core/kernel/ports/calls.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Reservation } from '#core/kernel/ports/store/money.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'

export interface SessionDeps {
  store: Store
  clock: Clock
  orders: Orders
  wake: () => void
}

export const orderingAccount = async (store: Store, accountId: string): Promise<Account> => {
  const account = await store.read.accounts.find(accountId)
  if (!account) throw new Problem('account_not_found')
  return account
}

/**
 * Reserves the money, then places the order. If the order is rejected, the reservation is released before the rejection is returned. An
 * order paid for in an earlier try whose answer got lost is not placed again. An order that was accepted, maybe by another process, stays
 * accepted.
 */
export const carryOut = async (
  { store, clock, wake }: Omit<SessionDeps, 'orders'>,
  spender: Spender,
  reserve: (tables: Tables) => Promise<Reservation>,
  order: () => Promise<void>,
): Promise<void> => {
  const { accountId } = spender
  const within = () => writeWithinDay({ store, clock }, accountId, reserve)
  const { sessionId, state } = await noteRefusals({ store, clock }, spender, within)
  if (state === 'COMMITTED') return
  try {
    await order()
  } catch (error) {
    await store.write(async (tables) => {
      if (await tables.balances.claim(accountId, sessionId, randomUUID())) await release(tables, accountId, sessionId)
    })
    throw error
  }
  wake()
}
