import type { DialogName } from '#adapters/telephony/incoming-calls.ts'
import type { SipTelephony } from '#adapters/telephony/sip-telephony.ts'
import type { Bus } from '#core/kernel/ports/bus.ts'
import type { Neighbours } from '#core/kernel/ports/neighbours.ts'

const subject = 'dialogs.find'
const findMs = 300

interface DialogParts {
  bus: Bus
  neighbours: Pick<Neighbours, 'self' | 'others'>
}

/** A phone may want to take the place of another one in a call (Replaces) and reach any process with that: all are asked who has the dialog. */
export const shareDialogs = (telephony: SipTelephony, { bus, neighbours }: DialogParts): void => {
  bus.answer(subject, (dialog) => (telephony.hasDialog(dialog as DialogName) ? neighbours.self : null))
  telephony.onDialogElsewhere(async (dialog) => {
    const others = neighbours.others()
    if (others.length === 0 || !bus.connected) return undefined
    const replies = await bus.askAll(subject, dialog, { ms: findMs, expected: others.length + 1 })
    return others.find(({ owner }) => replies.includes(owner))?.sip
  })
}
