import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables, Store } from '#core/kernel/ports/store/index.ts'
import type { Booking, Service } from '#core/kernel/ports/store/money.ts'
import { rateOf } from './rates.ts'
import { unitCost } from './rating.ts'
import { queueMail, type MailContext } from '#core/kernel/mail/queue-mail.ts'
import type { Task } from '#core/kernel/work/worker.ts'

interface Charge {
  accountId: string
  service: Service
  units: number
  /** Idempotency key: a session is charged once. */
  sessionId: string
  /** Ledger text, such as `SIM order`. */
  reason: string
}

/** Charges a one-off price and returns it. A service without a rate in the account's tariff is free. */
export const charge = async (tables: Tables, clock: Clock, { accountId, service, units, sessionId, reason }: Charge): Promise<number> => {
  const at = clock.now()
  const account = await tables.accounts.find(accountId)
  if (!account) throw new Problem('account_not_found')
  const rate = await rateOf(tables, account, service, '', at)
  const cost = rate ? unitCost(rate, units) : 0
  if (cost === 0) return 0
  const spent = service === 'SIM' ? { purpose: service, units } : undefined
  await takeOnce(tables, clock, { accountId, cost, sessionId, reason, ...(spent && { spent }) })
  return cost
}

type OneOff = Omit<Charge, 'service' | 'units'> & { cost: number; spent?: Booking['spent'] }

/** Charges a known price, or rejects. */
export const takeOnce = async (tables: Tables, clock: Clock, { accountId, cost, sessionId, reason, spent }: OneOff): Promise<void> => {
  const at = clock.now()
  const postings = [{ book: 'balance', amount: -cost } as const, { book: 'revenue', amount: cost } as const]
  const key = `session:${sessionId}`
  const outcome = await tables.balances.book(accountId, { key, reason, sessionId, actor: 'service', at, spent, postings })
  if (outcome === 'not_covered') throw new Problem('insufficient_funds')
  await watchBalance(tables, accountId, at)
}

const kind = 'balance.low'

interface Low {
  accountId: string
  at: number
}

/** Part of the transaction that moves money: warns an account whose balance falls below its threshold, once until it is above again. */
export const watchBalance = async (tables: Tables, accountId: string, at: number): Promise<void> => {
  const { warnBelow } = await tables.limits.find(accountId)
  const balance = warnBelow === undefined ? undefined : await tables.balances.find(accountId)
  if (warnBelow === undefined || !balance) return
  if (balance.amount >= warnBelow) return tables.limits.forgetLow(accountId)
  if (!(await tables.limits.noteLow(accountId))) return
  const payload: Low = { accountId, at }
  await tables.jobs.schedule({ id: `${kind}:${accountId}`, kind, payload, dueAt: at })
}

/** Notifies the account's administrators. */
export const lowBalanceJobs = (parts: MailContext & { store: Store; wake: () => void }): Record<string, Task> => ({
  [kind]: async (payload) => {
    await parts.store.write((tables) => notify(tables, parts, payload as Low))
    parts.wake()
  },
})

const notify = async (tables: Tables, room: MailContext, { accountId, at }: Low): Promise<void> => {
  const account = await tables.accounts.find(accountId)
  const balance = await tables.balances.find(accountId)
  if (!account || !balance) return
  const { currency, amount } = balance
  for (const { admin, email, locale } of await tables.users.list(accountId)) {
    const left = new Intl.NumberFormat(locale.replace('_', '-'), { style: 'currency', currency }).format(amount / 10_000)
    const values = { account: accountId, company: account.company, left }
    if (admin) await queueMail(tables, room, { accountId, to: email, locale, template: 'balance_low', values })
  }
  await tables.appEvents.insert(accountId, { type: 'SPENDING', name: 'balance_low', payload: {} }, at)
  await tables.audit.append(accountId, { at, actor: 'service', action: 'balance.low', target: accountId, detail: { amount } })
}
