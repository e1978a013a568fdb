import type { NumberElement, numberOperations } from '@offhook/contract/v1/numbers.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Static } from 'typebox'
import { demand } from '#core/account/identity/caller/permissions.ts'
import { changeNumber } from '#core/account/numbers/change-number.ts'
import { localized } from '#core/kernel/phone-numbers/phone-number.ts'
import { addQuickDial, changeQuickDial, removeQuickDial, requireFreeQuickDial } from '#core/account/numbers/quick-dials.ts'
import type { AccountNumber } from '#core/kernel/ports/store/number/numbers.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerParts } from '../handler/handler-parts.ts'

export const numberHandlers = ({
  store,
  clock,
  wake,
}: Pick<HandlerParts, 'store' | 'clock' | 'wake'>): Handlers<typeof numberOperations> => ({
  listNumbers: async ({ caller }) => {
    const { numbers } = store.read
    const found = caller.admin ? numbers.list(caller.accountId) : numbers.listByUser(caller.accountId, caller.userId)
    return toNumberItems(store, caller.accountId, await found)
  },

  listUserNumbers: async ({ caller: { accountId, userId, admin }, params }) => {
    const { numbers } = store.read
    if (!admin || params.userId !== userId) return toNumberItems(store, accountId, await numbers.listByUser(accountId, params.userId))
    const theirs = (await numbers.list(accountId)).filter(
      ({ endpointOwner = '' }) => endpointOwner === userId || !endpointOwner.startsWith('w'),
    )
    return toNumberItems(store, accountId, theirs)
  },

  getNumber: async ({ caller, params }) => {
    const number = await store.read.numbers.find(caller.accountId, params.numberId)
    if (!number) throw new Problem('number_not_found')
    await demand(store, 'CAN_GET_NUMBERS', caller, number.endpointOwner ?? 'nobody')
    return toNumberElement(number, await countryOf(store, caller.accountId))
  },

  changeNumber: async ({ caller, params, body }) => {
    await store.write((tables) => changeNumber(tables, clock, caller, params.numberId, body))
    wake()
  },

  addQuickDial: async ({ caller, body, effectId }) => {
    await store.write((tables) => addQuickDial(tables, clock, caller, effectId, body))
  },

  validateQuickDial: ({ caller, params }) => requireFreeQuickDial(store.read, caller.accountId, params.quickDialNumber),

  changeQuickDial: async ({ caller, params, body }) => {
    await store.write((tables) => changeQuickDial(tables, clock, caller, params.quickdialId, body))
  },

  deleteQuickDial: async ({ caller, params }) => {
    await store.write((tables) => removeQuickDial(tables, clock, caller, params.numberId))
  },
})

type NumberItem = Static<typeof NumberElement>

/** For every list of numbers, also those of groups, fax lines and addresses. */
export const toNumberItems = async (store: Store, accountId: string, numbers: AccountNumber[]): Promise<{ items: NumberItem[] }> => {
  const country = await countryOf(store, accountId)
  return { items: numbers.map((number) => toNumberElement(number, country)) }
}

const countryOf = async (store: Store, accountId: string): Promise<string> => (await store.read.accounts.find(accountId))?.country ?? ''

/** `country` is the account's, for the way the number is written. */
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
