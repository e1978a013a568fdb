import type { Clock } from '#core/kernel/ports/platform.ts'
import type { PhoneMessages, SmsRoute } from '#core/kernel/ports/messages.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { StoredSms } from '#core/kernel/ports/store/message.ts'

/** Dependencies for sending and receiving messages. Built once in `sms.ts`. */
export interface SmsParts {
  store: Store
  clock: Clock
  /** Clock of the registrations; never shifted. */
  wallClock: Clock
  /** Routes to other networks, preferred one first; without any, only local numbers can be reached. */
  routes: readonly SmsRoute[]
  phones: PhoneMessages
  /** Sender of messages from the service itself: E.164, or up to 11 letters and digits. */
  serviceSender: string
  /** ISO 3166 country for numbers from other networks without a country code. */
  country: string
  /** Called after a job was written. */
  wake: () => void
  /** Notes are waiting for the program of the extension (`Programs.takeNotes`). Only a hint: other nodes write notes, too. */
  programHasEvents: (sms: Pick<StoredSms, 'accountId' | 'smsId'>) => void
  /** Called when a route rejects a message permanently, with the route's own reason; the history only has the rejection. */
  onRefused: (route: string, why: string) => void
  /** Called for a message to a number that is not local. It is confirmed anyway, or it would be redelivered for ever. */
  onUnclaimed: (route: string, recipient: string) => void
}
