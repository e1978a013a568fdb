import type { DialogName } from '#adapters/telephony/leg/leg-maker.ts'
import type { SipTelephony } from '#adapters/telephony/sip-telephony.ts'
import type { Bus, PeerNode, PeerNodes } from '#core/kernel/ports/platform.ts'
import type { CallHold } from '#core/kernel/ports/store/call.ts'
import type { CallTakeover } from '#core/telephone/call/takeover/call-takeover.ts'
import type { CallRouter } from '#core/telephone/routing/call-router.ts'

const findSubject = 'dialogs.find'
const offerSubject = (owner: string): string => `dialogs.offer.${owner}`
const releaseSubject = (owner: string): string => `dialogs.release.${owner}`
const findMs = 300
const offerMs = 3_000

interface DialogDeps {
  bus: Bus
  peerNodes: Pick<PeerNodes, 'self' | 'others'>
  telephony: SipTelephony
  callRouter: CallRouter
  takeover: Pick<CallTakeover, 'ofHolder'>
}

/**
 * A phone may replace another one in a call (Replaces, RFC 3891), or join two of its calls (REFER with Replaces), at any node.
 * All nodes are asked for the owner of the dialog. The first request is redirected there; for the second the other call moves here, because both have to be on one node.
 */
export const shareDialogs = ({ bus, peerNodes, telephony, callRouter, takeover }: DialogDeps): void => {
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
