import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Balance, Book } from '#core/kernel/ports/store/money.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { watchBalance } from './charge.ts'

interface Movement {
  accountId: string
  /** Ten-thousandths; negative withdraws money. */
  amount: number
  reason: string
  /** A repeated key moves the money once. */
  idempotencyKey: string
  actor: string
}

/** Books a payment. */
export const topUp = (tables: Tables, clock: Clock, movement: Movement): Promise<Balance> => move(tables, clock, 'payments', movement)

/** Books a manual correction, in either direction. */
export const adjust = (tables: Tables, clock: Clock, movement: Movement): Promise<Balance> => move(tables, clock, 'adjustments', movement)

export const balanceOf = async (tables: Tables, accountId: string): Promise<Balance> => {
  const balance = await tables.balances.find(accountId)
  if (!balance) throw new Problem('account_not_found')
  return balance
}

const move = async (tables: Tables, clock: Clock, from: Book, movement: Movement): Promise<Balance> => {
  const { accountId, amount, reason, idempotencyKey, actor } = movement
  if (amount === 0) throw Problem.field('amount', 'must not be 0')
  await balanceOf(tables, accountId)
  const key = `${from}:${idempotencyKey}`
  const postings = [{ book: 'balance', amount } as const, { book: from, amount: -amount }]
  const at = clock.now()
  const outcome = await tables.balances.book(accountId, { key, reason, actor, at, postings })
  if (outcome === 'not_covered') throw new Problem('insufficient_funds', 'The account would be overdrawn.')
  if (outcome === 'known') await refuseOtherMovement(tables, accountId, key, movement)
  else await tables.audit.append(accountId, { at, actor, action: `balance.${from}`, target: accountId, detail: { amount, reason } })
  await watchBalance(tables, accountId, at)
  return balanceOf(tables, accountId)
}

const refuseOtherMovement = async (tables: Tables, accountId: string, key: string, { amount, reason }: Movement): Promise<void> => {
  const entry = await tables.balances.findEntry(accountId, key)
  if (entry?.amount !== amount || entry.reason !== reason)
    throw new Problem('idempotency_mismatch', 'This idempotencyKey was used for another movement.')
}
