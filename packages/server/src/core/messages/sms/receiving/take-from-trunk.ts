import { Problem } from '@offhook/contract/problem.ts'
import type { TakeTrunkText } from '#core/kernel/ports/messages.ts'
import { numberFrom, readableSender } from '../text/readable.ts'
import type { SmsParts } from '../state/sms-parts.ts'
import { writeInboundSms } from './write-inbound-sms.ts'

const route = 'trunk'
const withheld = 'anonymous'

/** Receives a SIP MESSAGE from a carrier (RFC 3428) like any other message; rejects it when the number is not in service. */
export const takeFromTrunk =
  (deps: SmsParts): TakeTrunkText =>
  async ({ sender = withheld, recipient, text, id }) => {
    const { store, clock, country } = deps
    const e164 = numberFrom(recipient, country)
    const inbound = { id, sender: readableSender(sender, country), text, route }
    const written = await store.write(async (tables) => {
      const number = e164 === undefined ? undefined : await tables.numbers.findCallable(e164)
      return number && writeInboundSms(tables, number, inbound, clock.now())
    })
    if (!written) throw new Problem('callee_invalid')
    deps.programHasEvents(written)
    deps.wake()
  }
