import type { BlfCall, BlfKind, BlfState } from '#core/kernel/ports/lamps.ts'
import { parseNameAddr } from '@offhook/sip/grammar/name-addr.ts'
import { dialogPackage, tellDialogs, type WatchedDialog } from '@offhook/sip/subscription/dialog-info.ts'
import type { EventPackage, Telling } from '@offhook/sip/subscription/event-package.ts'
import { messageSummary, tellMessages } from '@offhook/sip/subscription/message-summary.ts'
import { formatUri, makeUri, parseUri } from '@offhook/sip/grammar/uri.ts'

export const blfPackages: Record<BlfKind, EventPackage> = { messages: messageSummary, calls: dialogPackage }

export const allPackages: readonly EventPackage[] = Object.values(blfPackages)

export const allowEvents = ['Allow-Events', allPackages.map(({ name }) => name).join(', ')] as const

export const kindOf = (wanted: EventPackage): BlfKind => (wanted === messageSummary ? 'messages' : 'calls')

/** `watched`: the header in which the phone named it, as it is written. */
export const notifyBlf = (state: BlfState, watched: string, messageAccess: string): Telling => {
  const { uri } = parseNameAddr(watched)
  if (state.kind === 'calls') return tellDialogs(uri, state.calls.map(watchedDialog))
  const { host, port } = parseUri(uri)
  return tellMessages({ ...state, account: formatUri(makeUri({ user: messageAccess, host, port })) })
}

const watchedDialog = ({ id, direction, state }: BlfCall): WatchedDialog => ({
  id,
  direction: direction === 'outgoing' ? 'initiator' : 'recipient',
  state: state === 'talking' ? 'confirmed' : 'early',
})
