import type { DescribableCall } from '#core/kernel/ports/call-guide.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { noPush } from './change-push.ts'

export interface PushAddress {
  /** Undefined: this call is not told. */
  url: string | undefined
  /** The phone line whose own address it is. */
  line: string | undefined
  /** Requests and answers are kept. */
  log: boolean
  /** Of the account. */
  country: string
}

type Told = Pick<DescribableCall, 'accountId' | 'direction' | 'lines'>

/** Where a call is told. Undefined when the account has not booked it, which costs one small read. */
export const findAddress = async (tables: Tables, call: Told): Promise<PushAddress | undefined> => {
  const { accountId, direction, lines } = call
  if (!(await tables.accounts.features(accountId)).includes('SVCIO')) return undefined
  const [account, setting = noPush] = await Promise.all([tables.accounts.find(accountId), tables.pushSettings.find(accountId)])
  if (!account) return undefined
  const shared = { log: setting.log, country: account.country }
  const own = await ownAddress(tables, call)
  if (own) return { ...own, ...shared }
  const { whitelist } = setting
  const wanted = whitelist === undefined || lines.some((line) => whitelist.includes(line))
  return { url: wanted ? setting[urlFor[direction]] || undefined : undefined, line: undefined, ...shared }
}

const urlFor = { in: 'incomingUrl', out: 'outgoingUrl' } as const

/** A line's own address stands before the account's, whose whitelist says nothing about it. */
const ownAddress = async ({ phonelines }: Tables, { accountId, direction, lines }: Told) => {
  for (const id of lines.filter((line) => line.startsWith('p'))) {
    const line = await phonelines.find(accountId, id)
    const url = line?.[urlFor[direction]]
    if (url) return { url, line: id }
  }
  return undefined
}
