import { readFile, stat } from 'node:fs/promises'
import type { AccountFile } from '@offhook/contract/account-file.ts'
import { readSnapshot } from './apply/account-snapshot.ts'
import { makePlan, type Difference, type Plan, type Step } from './apply/plan.ts'
import { maxFileBytes, readAccountFile } from './apply/read-account-file.ts'
import { References } from './apply/references.ts'
import { fillSecrets } from './apply/secrets.ts'
import { openSession, type Session, type SessionOptions } from './apply/session.ts'
import { adoptUser, StepFailed, writeSteps, type Target } from './apply/write-entries.ts'
import { inWords } from './connection/connection.ts'
import { Mistake } from './terminal/mistake.ts'

export interface ApplyOptions extends SessionOptions {
  dryRun?: boolean
  diff?: boolean
}

/** Changes an account to match a file. Resources that the file does not name stay. */
export const apply = async (file: string, options: ApplyOptions): Promise<void> => {
  const read = readAccountFile(await textOf(file), file)
  const missing = fillSecrets(read, file, process.env)
  const { content } = read
  const admin = content.users?.find(({ role }) => role === 'ADMIN')
  const session = await openSession(options, content.account, admin)
  try {
    const snapshot = session.api && (await readSnapshot(session.api))
    const plan = makePlan(read, file, snapshot, missing)
    requireAccountRights(session, content, plan)
    if (options.dryRun === true || options.diff === true) return show(session, plan, options.diff === true)
    const target = await targetOf(session, plan, content, snapshot?.references ?? new References())
    for (const line of accountTitle(session, plan)) console.log(line)
    await write(target, plan, file)
  } catch (error) {
    throw inWords(error, session.baseUrl)
  } finally {
    await session.close().catch(() => {}) // the session ends by itself; the error above says more
  }
}

const textOf = async (file: string): Promise<string> => {
  try {
    const { size } = await stat(file)
    if (size > maxFileBytes) throw new Mistake(2, `${file} has more than ${maxFileBytes / 1024 / 1024} MB.`)
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Mistake) throw error
    throw new Mistake(2, `${file} cannot be read: ${(error as Error).message}`)
  }
}

/** Fields of an account that no one can change later. */
const fixed = ['country', 'currency']

const requireAccountRights = ({ api, operator }: Session, { account, users = [] }: AccountFile, plan: Plan): void => {
  if (api === undefined) {
    const admin = users.find(({ role }) => role === 'ADMIN')
    if (!account || !admin) throw new Mistake(2, 'A new account needs a user with the role ADMIN and a password.')
    if (admin.password === undefined)
      throw new Mistake(2, `A new account needs the password of ${admin.email}: set the variable of the file.`)
    return
  }
  const [differing] = plan.account
  if (differing && !operator) throw new Mistake(1, `account.${differing.field} differs, and only the operator can change it: --operator`)
  const stuck = plan.account.find(({ field }) => fixed.includes(field))
  if (stuck) throw new Mistake(1, `account.${stuck.field} is ${String(stuck.before)} and cannot be changed.`)
  const absent = plan.steps.find(({ section, action }) => section === 'numbers' && action === 'create')
  if (absent && !operator) throw new Mistake(1, `The account does not have ${absent.reference}. The operator assigns it: --operator`)
}

/** Creates or changes the account itself, if the operator takes part. */
const targetOf = async (session: Session, plan: Plan, file: AccountFile, references: References): Promise<Target> => {
  const { operator, api } = session
  if (!operator) return { api: api ?? (await session.logIn()), references, file }
  const { id: _id, company, country, currency, mainProductType, logoUrl, locale } = file.account ?? { company: '' }
  if (api && operator.accountId !== undefined) {
    const { accountId } = operator
    if (plan.account.length > 0)
      await operator.api.updateAccount({ accountId }, { company, ...given({ mainProductType, logoUrl, locale }) })
    return { api, references, file, operator: { api: operator.api, accountId } }
  }
  const admin = file.users?.find(({ role }) => role === 'ADMIN')
  if (!admin) throw new Error('the administrator was checked before')
  const { email, firstname, lastname, password } = admin
  const first = { email, firstname, lastname, ...given({ password }) }
  const created = await operator.api.createAccount({}, { company, ...given({ country, currency, mainProductType, locale }), admin: first })
  const accountId = created.id
  if (logoUrl !== undefined && logoUrl !== '') await operator.api.updateAccount({ accountId }, { logoUrl })
  const target = { api: await session.logIn(), references, file, operator: { api: operator.api, accountId } }
  await adoptUser(target, { id: created.adminUserId, email })
  return target
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

const given = <T extends object>(fields: T): Given<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>

const write = async (target: Target, plan: Plan, file: string): Promise<void> => {
  const applied: Step[] = []
  try {
    for await (const step of writeSteps(target, plan.steps)) {
      applied.push(step)
      if (step.action !== 'keep') console.log(titleOf(step))
    }
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error
    const cause = inWords(error.cause, '')
    if (!(cause instanceof Mistake)) throw cause
    const { line, reference } = error.step
    const names = applied.filter(({ action }) => action !== 'keep').map((step) => printable(step.reference))
    const before = names.length === 0 ? 'Nothing was applied before it.' : `Applied before it: ${names.join(', ')}.`
    throw new Mistake(
      1,
      `${file}:${line}: ${printable(reference)}: ${cause.message}\n${before}\nCorrect it and apply the file again: what is applied stays.`,
    )
  }
  console.log(summaryOf(plan))
}

const show = (session: Session, { account, steps }: Plan, withFields: boolean): void => {
  for (const line of accountTitle(session, { account, steps })) console.log(line)
  if (withFields) for (const difference of account) console.log(lineOf(difference))
  for (const step of steps) {
    if (step.action === 'keep') continue
    console.log(titleOf(step))
    if (withFields) for (const difference of step.differences) console.log(lineOf(difference))
  }
  console.log(`${summaryOf({ account, steps })} Nothing was written.`)
}

const accountTitle = ({ api }: Session, { account }: Plan): string[] => {
  if (api === undefined) return ['+ account']
  return account.length > 0 ? ['~ account'] : []
}

const titleOf = ({ action, reference }: Step): string => `${action === 'create' ? '+' : '~'} ${printable(reference)}`

const lineOf = ({ field, before, after }: Difference): string =>
  `    ${printable(field)}: ${before === undefined ? '' : `${shown(before)} → `}${after === undefined ? 'not set' : shown(after)}`

const maxShown = 200

const shown = (value: unknown): string => {
  const text = printable(JSON.stringify(value))
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
}

/** A file or a service cannot write control characters to the terminal. */
const printable = (text: string): string => text.replaceAll(/\p{C}/gu, '?')

const summaryOf = ({ account, steps }: Plan): string => {
  const count = (action: Step['action']): number => steps.filter((step) => step.action === action).length
  const [created, changed, secrets] = [count('create'), count('change'), steps.filter(({ hasSecrets }) => hasSecrets).length]
  const told = secrets === 0 ? '' : ` Entries with secrets that are set: ${secrets}.`
  if (created + changed + account.length === 0) return `No change: ${steps.length} entries.${told}`
  return `Create: ${created}. Change: ${changed}. Unchanged: ${count('keep')}.${told}`
}
