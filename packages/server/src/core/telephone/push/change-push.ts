import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { PushFormat, PushSetting } from '#core/kernel/ports/store/push.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { DescribableCall } from '#core/kernel/ports/calls.ts'

export const noPush: PushSetting = { incomingUrl: '', outgoingUrl: '', log: false, whitelist: undefined, format: 'form' }

interface PushChange {
  incomingUrl: string
  outgoingUrl: string
  /** Unchanged if omitted. */
  log?: boolean
  /** Null: all phone lines and groups. Unchanged if omitted. */
  whitelist?: string[] | null
  /** Unchanged if omitted. */
  format?: PushFormat
}

export const changePush = async (tables: Tables, clock: Clock, caller: UserCaller, change: PushChange): Promise<void> => {
  const { accountId } = caller
  const { incomingUrl, outgoingUrl } = change
  requirePushUrl('incomingUrl', incomingUrl)
  requirePushUrl('outgoingUrl', outgoingUrl)
  const present = (await tables.pushSettings.find(accountId)) ?? noPush
  const whitelist = change.whitelist === undefined ? present.whitelist : (change.whitelist ?? undefined)
  if (change.whitelist) await requireLines(tables, accountId, change.whitelist)
  await tables.pushSettings.save(accountId, {
    incomingUrl,
    outgoingUrl,
    log: change.log ?? present.log,
    whitelist,
    format: change.format ?? present.format,
  })
  // The addresses may contain a password, so the audit log only notes the change.
  await auditByUser(tables, clock, caller, 'push.change', accountId)
}

const requireLines = async (tables: Tables, accountId: string, whitelist: readonly string[]): Promise<void> => {
  for (const [position, id] of whitelist.entries()) {
    const extension = await tables.extensions.find(accountId, id)
    if (extension?.kind !== 'p' && extension?.kind !== 'g')
      throw Problem.field(`whitelist/${position}`, 'is not a phone line or group of this account')
  }
}

/** Webhook address: absolute, http or https, without a fragment. May contain credentials. */
export const isPushUrl = (written: string): boolean => /^https?:\/\/[^\s#]+$/i.test(written) && URL.canParse(written)

/** Empty: no address. */
export const requirePushUrl = (field: string, written: string): void => {
  if (written !== '' && !isPushUrl(written))
    throw Problem.field(field, 'must be an absolute http or https address without a fragment, or empty')
}

export interface PushAddress {
  /** Undefined: no notifications for this call. */
  url: string | undefined
  /** Phone line that defines the address. */
  line: string | undefined
  /** Requests and replies are logged. */
  log: boolean
  /** Country of the account. */
  country: string
  format: PushFormat
}

type Told = Pick<DescribableCall, 'accountId' | 'direction' | 'lines'>

/** Webhook address for a call. Undefined when the account has not booked the feature, which costs one small read. */
export const findAddress = async (tables: Tables, call: Told): Promise<PushAddress | undefined> => {
  const { accountId, direction, lines } = call
  if (!(await tables.accounts.features(accountId)).includes('SVCIO')) return undefined
  const [account, setting = noPush] = await Promise.all([tables.accounts.find(accountId), tables.pushSettings.find(accountId)])
  if (!account) return undefined
  const shared = { log: setting.log, country: account.country, format: setting.format }
  const own = await ownAddress(tables, call)
  if (own) return { ...own, ...shared }
  const { whitelist } = setting
  const wanted = whitelist === undefined || lines.some((line) => whitelist.includes(line))
  return { url: wanted ? setting[urlFor[direction]] || undefined : undefined, line: undefined, ...shared }
}

const urlFor = { in: 'incomingUrl', out: 'outgoingUrl' } as const

/** A line's own address takes precedence over the account's, whose whitelist does not apply to it. */
const ownAddress = async ({ phonelines }: Tables, { accountId, direction, lines }: Told) => {
  for (const id of lines.filter((line) => line.startsWith('p'))) {
    const line = await phonelines.find(accountId, id)
    const url = line?.[urlFor[direction]]
    if (url) return { url, line: id }
  }
  return undefined
}
