import { queueMail, type MailContext } from '#core/kernel/mail/queue-mail.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Task } from '#core/kernel/work/worker.ts'

const kind = 'balance.low'

interface Low {
  accountId: string
  at: number
}

/** Part of the transaction that moves money: an account whose balance falls below what it wanted to be warned of is told, once until it is above again. */
export const watchBalance = async (tables: Tables, accountId: string, at: number): Promise<void> => {
  const { warnBelow } = await tables.limits.find(accountId)
  const balance = warnBelow === undefined ? undefined : await tables.balances.find(accountId)
  if (warnBelow === undefined || !balance) return
  if (balance.amount >= warnBelow) return tables.limits.forgetLow(accountId)
  if (!(await tables.limits.noteLow(accountId))) return
  const payload: Low = { accountId, at }
  await tables.jobs.schedule({ id: `${kind}:${accountId}`, kind, payload, dueAt: at })
}

/** Tells the account's administrators. */
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
