import { Problem } from '@offhook/contract/problem.ts'
import type { MailContext } from '#core/kernel/mail/queue-mail.ts'
import type { CleanUps, ExportArchives, DataSubject, ErasureReport, PersonalData } from '#core/kernel/ports/account.ts'
import type { StoredErasure } from '#core/kernel/ports/store/account.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { DeferredError, type Task } from '#core/kernel/work/worker.ts'
import { cutOff } from './cut-off.ts'
import { mailErasure } from './notify.ts'
import { removeExport } from './request-export.ts'
import { openSubject } from './subject.ts'
import type { CallSide } from '#core/kernel/ports/store/call.ts'

const kind = 'personal-data.erase'
const minuteMs = 60_000
/** Delay until calls that ended at the last moment are written too. */
const settleMs = minuteMs
/** Maximum time that calls postpone the erasure of a user or an account; then the subject is cut off, and no further call begins. */
const maxPostponedMs = 24 * 60 * minuteMs
const batch = 50

export const eraseJobId = (erasureId: string): string => `${kind}:${erasureId}`

export const eraseJob = ({ accountId, id }: Pick<StoredErasure, 'accountId' | 'id'>, dueAt: number) => ({
  id: eraseJobId(id),
  kind,
  payload: { accountId, id },
  dueAt,
})

interface ErasureDeps extends MailContext {
  store: Store
  personalData: PersonalData
  archives: ExportArchives
  cleanups: CleanUps
  /** Attempts, counted before each, after which an erasure has failed. */
  maxAttempts: number
  wake: () => void
}

export const erasureJobs = (deps: ErasureDeps): Record<string, Task> => ({
  [kind]: async (payload, { attempts }) => {
    const { accountId, id } = payload as { accountId: string; id: string }
    const erasure = await deps.store.read.erasureRequests.find(accountId, id)
    if (erasure?.state !== 'SCHEDULED' && erasure?.state !== 'RUNNING') return
    // The process of the last attempt died.
    if (attempts > deps.maxAttempts) return fail(deps, erasure, 'internal_error')
    try {
      await run(deps, erasure, openSubject(deps.vault, erasure.subjectSealed))
    } catch (error) {
      if (!(error instanceof DeferredError) && attempts >= deps.maxAttempts) await fail(deps, erasure, 'internal_error')
      throw error
    }
  },
})

const run = async (deps: ErasureDeps, erasure: StoredErasure, subject: DataSubject): Promise<void> => {
  const { store, personalData } = deps
  if (erasure.state === 'SCHEDULED') {
    await waitForCalls(deps, erasure, subject)
    const refusal = await begin(deps, erasure, subject).then(() => undefined, codeOf)
    if (refusal !== undefined) return fail(deps, erasure, refusal)
    if (isCutOff(subject)) throw new DeferredError('what just ended is still being written', settleMs)
  } else if (await hasRunningCall(store.read, subject)) throw new DeferredError('a call of the subject is running', minuteMs)
  await removeArchives(deps, erasure.accountId)
  await done(deps, erasure, await personalData.erase(subject))
}

const isCutOff = ({ type }: DataSubject): boolean => type === 'account' || type === 'user'

const waitForCalls = async ({ store, clock }: ErasureDeps, { dueAt }: StoredErasure, subject: DataSubject): Promise<void> => {
  if (isCutOff(subject) && clock.now() > dueAt + maxPostponedMs) return
  if (await hasRunningCall(store.read, subject)) throw new DeferredError('a call of the subject is running', minuteMs)
}

/** Rule violations are final: a retry would not change them. */
const codeOf = (error: unknown): string => {
  if (error instanceof Problem) return error.code
  throw error
}

/** From here on it cannot be cancelled. */
const begin = ({ store, clock, cleanups }: ErasureDeps, { accountId, id }: StoredErasure, subject: DataSubject): Promise<void> =>
  store.write(async (tables) => {
    await tables.accounts.lock(accountId)
    if ((await tables.erasureRequests.find(accountId, id))?.state !== 'SCHEDULED') throw new DeferredError('it changed at this moment', 0)
    if (await tables.dataExports.isBuilding(accountId)) throw new DeferredError('an export of the account is being built', minuteMs)
    await cutOff(tables, { clock, cleanups }, subject)
    await tables.erasureRequests.setRunning(accountId, id)
  })

/** Any archive of the account may contain data about the subject. */
const removeArchives = async (deps: ErasureDeps, accountId: string): Promise<void> => {
  for (;;) {
    const exports = await deps.store.read.dataExports.page({ accountId, after: undefined, limit: batch })
    for (const one of exports) await removeExport(deps, one)
    if (exports.length < batch) return
  }
}

const done = async (deps: ErasureDeps, erasure: StoredErasure, report: ErasureReport): Promise<void> => {
  await deps.store.write(async (tables) => {
    await tables.erasureRequests.end(erasure, { state: 'DONE', at: deps.clock.now(), report })
    await audit(tables, deps, erasure, 'erasure.done', { ...report })
    await mailErasure(tables, deps, 'erasure_done', erasure)
  })
  deps.wake()
}

const fail = async (deps: ErasureDeps, erasure: StoredErasure, failure: string): Promise<void> => {
  await deps.store.write(async (tables) => {
    await tables.erasureRequests.end(erasure, { state: 'FAILED', at: deps.clock.now(), failure })
    await audit(tables, deps, erasure, 'erasure.failed', { failure })
    await mailErasure(tables, deps, 'erasure_failed', erasure)
  })
  deps.wake()
}

/** The log of an account ends with the account. */
const audit = (tables: Tables, { clock }: ErasureDeps, erasure: StoredErasure, action: string, result: object): Promise<void> => {
  const { accountId, id, subjectType, reference } = erasure
  const chain = subjectType === 'ACCOUNT' ? 'operator' : accountId
  return tables.audit.append(chain, {
    at: clock.now(),
    actor: 'service',
    action,
    target: id,
    detail: { subjectType, reference, ...result },
  })
}

/** Whether a call of the subject is running on any node. */
const hasRunningCall = async (tables: Tables, subject: DataSubject): Promise<boolean> => {
  const sides = await tables.runningCalls.sidesOf(subject.accountId)
  if (sides.length === 0) return false
  if (subject.type === 'account') return true
  if (subject.type === 'user') return sides.some(({ userId }) => userId === subject.userId)
  const numbers = new Set(await numbersOf(tables, subject))
  return sides.some((side) => numbersIn(side).some((number) => numbers.has(number)))
}

const numbersOf = async (tables: Tables, subject: Extract<DataSubject, { type: 'contact' | 'number' }>): Promise<string[]> => {
  if (subject.type === 'number') return [plain(subject.number)]
  const contact = await tables.contacts.find(subject.accountId, subject.contactId)
  return contact?.numbers.map(plain) ?? []
}

const numbersIn = ({ source, target }: CallSide): string[] => [source, target].flatMap((party) => (party ? [plain(party.number)] : []))

const plain = (number: string): string => number.replace(/^\+/, '')
