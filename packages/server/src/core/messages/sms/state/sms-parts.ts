import type { Clock } from '#core/kernel/ports/clock.ts'
import type { PhoneMessages, SmsRoute } from '#core/kernel/ports/sms-routes.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { StoredSms } from '#core/kernel/ports/store/message/messages.ts'

/** What sending and receiving messages needs. Built once in `sms.ts`. */
export interface SmsParts {
  store: Store
  clock: Clock
  /** Never put forward: what registrations go by. */
  wallClock: Clock
  /** To other networks, the preferred one first; without any, only what is here can be written to. */
  routes: readonly SmsRoute[]
  phones: PhoneMessages
  /** The sender of messages from the service itself: E.164, or up to 11 letters and digits. */
  serviceSender: string
  /** ISO 3166: how numbers without a country are read that come from other networks. */
  country: string
  /** A job was written. */
  wake: () => void
  /** The program of its extension, if there is one, has something to hear (`Programs.takeNotes`). Only a hint: others write there, too. */
  programHasEvents: (sms: Pick<StoredSms, 'accountId' | 'smsId'>) => void
  /** A route takes a message neither now nor later, and says why in its own words; the history only says that it was so. */
  onRefused: (route: string, why: string) => void
  /** A message for a number that is not in service here. It is confirmed all the same, or it would come for ever. */
  onUnclaimed: (route: string, recipient: string) => void
}
