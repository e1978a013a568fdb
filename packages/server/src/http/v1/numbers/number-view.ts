import type { NumberElement } from '@offhook/contract/v1/numbers/number-element.ts'
import type { Static } from 'typebox'
import { localized } from '#core/kernel/phone-numbers/phone-number.ts'
import type { AccountNumber } from '#core/kernel/ports/store/number.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'

type NumberItem = Static<typeof NumberElement>

/** For every list of numbers, also of groups, fax lines and addresses. */
export const toNumberItems = async (store: Store, accountId: string, numbers: AccountNumber[]): Promise<{ items: NumberItem[] }> => {
  const country = await countryOf(store, accountId)
  return { items: numbers.map((number) => toNumberElement(number, country)) }
}

export const countryOf = async (store: Store, accountId: string): Promise<string> =>
  (await store.read.accounts.find(accountId))?.country ?? ''

/** `country`: the account's, for the notation of the number. */
export const toNumberElement = (number: AccountNumber, country: string): NumberItem => {
  const { id, type, state, e164, short = '', mnpReleasedUntil, porting } = number
  return {
    id,
    number: e164 ?? short,
    localized: e164 === undefined ? short : localized(e164, country),
    type,
    state,
    endpointId: number.endpointId ?? number.flowId ?? '',
    endpointAlias: number.endpointAlias ?? '',
    endpointUrl: endpointUrl(number),
    ...(type === 'MOBILE' && { mnpState: mnpState(mnpReleasedUntil) }),
    ...(porting && { portId: porting.id, portState: { status: porting.status } }),
  }
}

const mnpState = (until: number | undefined) => ({
  isReleased: until !== undefined,
  releasedUntil: until === undefined ? null : new Date(until).toISOString(),
})

const endpointUrl = ({ endpointId = '', endpointOwner = '', flowId }: AccountNumber): string => {
  if (flowId !== undefined) return `/v3/ai-flows/${flowId}`
  switch (endpointId.charAt(0)) {
    case 'p':
      return `/v1/${endpointOwner}/phonelines/${endpointId}`
    case 'g':
      return `/v1/groups/${endpointId}`
    case 'f':
      return endpointOwner.startsWith('g') ? `/v1/groupfaxlines/${endpointId}/callerid` : `/v1/${endpointOwner}/faxlines/${endpointId}`
    case 'v':
      return `/v1/voicemails/${endpointId}`
    case 's':
      return `/v1/${endpointOwner}/sms/${endpointId}`
    default:
      return ''
  }
}
