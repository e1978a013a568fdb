import type { Clock } from '../ports/clock.ts'
import type { PhoneMessages, SmsRoute } from '../ports/sms-routes.ts'
import type { Store } from '../ports/store/index.ts'

/** What messages are carried with. Built once in `main.ts`. */
export interface SmsParts {
  store: Store
  clock: Clock
  /** Never put forward: what registrations go by. */
  wallClock: Clock
  /** To other networks, the preferred one first; without any, only what is here can be written to. */
  routes: readonly SmsRoute[]
  phones: PhoneMessages
  /** Who writes when the service itself does: E.164, or up to 11 letters and digits. */
  serviceSender: string
  /** ISO 3166: how numbers without a country are read that come from other networks. */
  country: string
  /** A job was written. */
  wake: () => void
  /** Something waits for the program of this extension (`Programs.takeNotes`). Only a hint: other processes write there, too. */
  doorHasNews: (accountId: string, smsId: string) => void
  /** A message for a number that nobody has here. It is confirmed all the same, or it would come for ever. */
  onUnclaimed: (route: string, recipient: string) => void
}
