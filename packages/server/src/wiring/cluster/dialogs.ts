import type { DialogName } from '#adapters/telephony/leg/dialogs-elsewhere.ts'
import type { SipTelephony } from '#adapters/telephony/sip-telephony.ts'
import type { Bus } from '#core/kernel/ports/bus.ts'
import type { PeerNode, PeerNodes } from '#core/kernel/ports/neighbours.ts'
import type { CallHold } from '#core/kernel/ports/store/call/running-calls.ts'
import type { CallTakeover } from '#core/telephone/call/takeover/rescue.ts'
import type { CallRouter } from '#core/telephone/routing/call-router.ts'

const findSubject = 'dialogs.find'
const offerSubject = (owner: string): string => `dialogs.offer.${owner}`
const releaseSubject = (owner: string): string => `dialogs.release.${owner}`
const findMs = 300
const offerMs = 3_000

export interface DialogDeps {
  bus: Bus
  neighbours: Pick<PeerNodes, 'self' | 'others'>
  telephony: SipTelephony
  callRouter: CallRouter
  rescue: Pick<CallTakeover, 'ofHolder'>
}

/**
 * A phone may want to take the place of another one in a call (Replaces), or to join two of its calls (REFER with Replaces), and reach any process with
 * that. All are asked who has the dialog. The first is sent there; for the second the other call comes here, because both have to be in one process.
 */
export const shareDialogs = ({ bus, neighbours: peerNodes, telephony, callRouter, rescue: takeover }: DialogDeps): void => {
  const { self } = peerNodes
  bus.answer(findSubject, (dialog) => (telephony.legOf(dialog as DialogName) ? self : null))
  bus.answer(offerSubject(self), async (dialog) => {
    const leg = telephony.legOf(dialog as DialogName)
    return (leg && (await callRouter.offer(leg))) ?? null
  })
  bus.answer(releaseSubject(self), async (callId) => {
    await callRouter.release(callId as string)
    return true
  })
  const find = async (dialog: DialogName): Promise<PeerNode | undefined> => {
    const others = peerNodes.others()
    if (others.length === 0 || !bus.connected) return undefined
    const replies = await bus.askAll(findSubject, dialog, { ms: findMs, expected: others.length + 1 })
    return others.find(({ owner }) => replies.includes(owner))
  }
  telephony.join({
    whoHas: async (dialog) => (await find(dialog))?.sip,
    async bring(dialog) {
      const holder = await find(dialog)
      const hold = holder && ((await bus.ask(offerSubject(holder.owner), dialog, { ms: offerMs })) as CallHold | null)
      if (!hold) return false
      return takeover.ofHolder(hold, async () => void (await bus.ask(releaseSubject(hold.owner), hold.callId, { ms: offerMs })))
    },
  })
}
