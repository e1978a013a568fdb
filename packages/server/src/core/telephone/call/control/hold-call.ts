import { atMost } from '#core/kernel/work/at-most.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { assistantOf } from '../state/taker.ts'
import type { AnnouncedCall } from './announce.ts'
import type { Party } from '../state/party.ts'

/** How long a phone may take to agree: enough for one that has to be asked twice because both asked at once (RFC 3261 §14.1). */
const maxAnswerMs = 8_000

/** All parties hear music, or are taken off hold, when all phones have agreed. If one does not, everything is as it was; `named` says which. */
export const holdAll = async (call: AnnouncedCall, value: boolean, named: (party: Party) => string): Promise<void> => {
  const asked = call.parties.filter(({ held }) => held !== value)
  const answers = await Promise.all(asked.map(async (party) => ({ party, agreed: await ask(call, party, value) })))
  if (call.end) throw new Problem('call_not_in_state')
  const refusing = answers.find(({ agreed }) => !agreed)
  if (!refusing) {
    assistantOf(call.taker)?.wait('hold', value)
    return
  }
  await Promise.all(answers.filter(({ agreed }) => agreed).map(({ party }) => ask(call, party, !value)))
  throw new Problem('conflict', `${named(refusing.party)} did not agree to be ${value ? 'put on hold' : 'taken up again'}.`)
}

const ask = async (call: AnnouncedCall, party: Party, value: boolean): Promise<boolean> => {
  const answered = party.leg.hold(value).then(
    () => true,
    () => false,
  )
  const agreed = await atMost(call.context.clock, maxAnswerMs, Promise.race([answered, call.over.then(() => false)]), 'late')
  if (agreed === true) party.held = value
  // If it agrees after all, it is asked to forget it.
  if (agreed === 'late') party.leg.hold(!value).catch(() => {})
  return agreed === true
}
