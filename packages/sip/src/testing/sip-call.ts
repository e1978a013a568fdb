import assert from 'node:assert/strict'
import type { IncomingRefer, InviteDraft, OfferReply, Session, SessionEnd, SessionObserver } from '../session/session.ts'
import type { SipNetwork, TestAgent } from './sip-network.ts'

/** One end of a call that records its observer's events. */
export class CallEnd {
  readonly told: string[] = []
  readonly ends: SessionEnd[] = []
  readonly refers: IncomingRefer[] = []
  /** Reply to offers. */
  reply: (sdp: string | undefined) => OfferReply | Promise<OfferReply> = (sdp) => ({ sdp: `answer to ${sdp}` })
  infoStatus: number | undefined

  readonly observer: SessionObserver = {
    progress: ({ status, sdp }) => void this.told.push(`progress ${status}${sdp === undefined ? '' : ` ${sdp}`}`),
    answered: (sdp) => void this.told.push(`answered ${sdp}`),
    offered: (sdp) => {
      this.told.push(`offered ${sdp}`)
      return this.reply(sdp)
    },
    acknowledged: (sdp) => void this.told.push(`acknowledged ${sdp}`),
    refreshed: (sdp) => void this.told.push(`refreshed ${sdp}`),
    info: (request) => {
      this.told.push(`info ${Buffer.from(request.body).toString()}`)
      return this.infoStatus
    },
    referred: (refer) => {
      this.told.push(`referred ${refer.referTo.uri}`)
      this.refers.push(refer)
    },
    ended: (end) => {
      this.told.push(`ended by ${end.by}${end.status === undefined ? '' : ` ${end.status}`}`)
      this.ends.push(end)
    },
  }
}

export interface Call {
  caller: CallEnd
  callee: CallEnd
  outgoing: Session
  incoming: Session
}

/** Calls and waits until the callee rings; the callee has not responded yet. */
export const dial = async (net: SipNetwork, from: TestAgent, to: TestAgent, draft: Partial<InviteDraft> = {}): Promise<Call> => {
  const [caller, callee] = [new CallEnd(), new CallEnd()]
  const before = to.invites.length
  const outgoing = from.ua.invite({ uri: to.uri, from: `<sip:alice@${from.address}>`, sdp: 'offer', ...draft }, caller.observer)
  for (let waited = 0; to.invites.length === before && waited < 40_000; waited += 100) await net.clock.advance(100)
  const incoming = to.invites[before]?.session
  assert.ok(incoming, 'the call arrives')
  incoming.observe(callee.observer)
  return { caller, callee, outgoing, incoming }
}

/** A call that both ends have confirmed. */
export const connect = async (net: SipNetwork, from: TestAgent, to: TestAgent, draft: Partial<InviteDraft> = {}): Promise<Call> => {
  const call = await dial(net, from, to, draft)
  const accepted = call.incoming.accept({ sdp: 'answer' })
  await net.clock.advance(100)
  assert.equal(await accepted, true)
  call.caller.told.length = 0
  call.callee.told.length = 0
  net.passed.length = 0
  return call
}
