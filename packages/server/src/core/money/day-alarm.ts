import { Problem } from '@offhook/contract/problem.ts'
import { queueMail, type MailContext } from '#core/kernel/mail/queue-mail.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Task } from '#core/kernel/work/worker.ts'

const kind = 'spending.alarm'

/** Percent of the day's limit at which the administrators are notified. */
const steps = [100, 80, 50]

interface Alarm {
  accountId: string
  percent: number
  at: number
}

/** Part of the spending transaction: notifies an account near its daily limit, once per step. */
export const watchDay = async (tables: Tables, accountId: string, { at, perDay }: { at: number; perDay: number }): Promise<void> => {
  const { spent, held, warned } = await tables.balances.spendingOf(accountId, at)
  const percent = steps.find((step) => (spent + held) * 100 >= perDay * step)
  if (percent !== undefined && percent > warned) await raise(tables, { accountId, percent, at })
}

/** Runs a reserving transaction. One rejected for the day's limit is rolled back, so the alarm has a separate transaction. */
export const writeWithinDay = async <T>(
  { store, clock }: { store: Store; clock: Clock },
  accountId: string,
  work: (tables: Tables) => Promise<T>,
): Promise<T> => {
  try {
    return await store.write(work)
  } catch (error) {
    const at = clock.now()
    if (
      error instanceof Problem &&
      error.code === 'daily_limit_reached' &&
      (await store.read.balances.spendingOf(accountId, at)).warned < 100
    )
      await store.write((tables) => raise(tables, { accountId, percent: 100, at }))
    throw error
  }
}

const raise = async (tables: Tables, alarm: Alarm): Promise<void> => {
  const { accountId, percent, at } = alarm
  if (!(await tables.balances.noteWarning(accountId, at, percent))) return
  await tables.jobs.schedule({ id: `${kind}:${accountId}:${at}:${percent}`, kind, payload: alarm, dueAt: at })
}

/** Notifies the account's administrators and, at 100 %, the operators. */
export const dayAlarmJobs = (parts: MailContext & { store: Store; wake: () => void }): Record<string, Task> => ({
  [kind]: async (payload) => {
    await parts.store.write((tables) => notify(tables, parts, payload as Alarm))
    parts.wake()
  },
})

const notify = async (tables: Tables, room: MailContext, { accountId, percent, at }: Alarm): Promise<void> => {
  const account = await tables.accounts.find(accountId)
  if (!account) return
  const values = { percent: String(percent), account: accountId, company: account.company }
  const template = percent === 100 ? 'spending_stopped' : 'spending_warning'
  for (const { admin, email, locale } of await tables.users.list(accountId))
    if (admin) await queueMail(tables, room, { accountId, to: email, locale, template, values })
  const operators = percent === 100 ? await tables.operators.list() : []
  for (const { email } of operators) await queueMail(tables, room, { accountId, to: email, locale: 'en_US', template, values })
  await tables.appEvents.insert(accountId, { type: 'SPENDING', name: 'daily_limit_near', payload: { percent: String(percent) } }, at)
  await tables.audit.append(accountId, { at, actor: 'service', action: 'spending.alarm', target: accountId, detail: { percent } })
}
