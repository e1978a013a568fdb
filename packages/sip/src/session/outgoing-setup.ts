import { authorizer } from '../digest/digest-client.ts'
import { sdpOf, type Response } from '../message/message.ts'
import { multipartBody, type Body, type HeaderLines } from '../message/build.ts'
import { Dialog } from '../dialog/dialog.ts'
import { formatRAck, parseNameAddr, hasElement } from '../grammar/headers.ts'
import { Sending } from '../request/sending.ts'
import type { InviteDraft, SessionEnd } from './session.ts'
import { SipError, leniently } from '../grammar/scan.ts'
import { allow, supported } from '../request/stack.ts'
import { nothing, transactionTimeout } from '../transaction/timers.ts'
import type { Flow } from '../transport/transport.ts'
import { parseUri } from '../grammar/uri.ts'
import { reasonHeader, sdpBody, type Acknowledgement, type DialogMessages } from './dialog-messages.ts'
import type { SessionContext } from './session-context.ts'
import type { ClientEvents } from '../transaction/client-transactions.ts'

/** Retries of an INVITE whose session timer was too short for a proxy or the callee. */
const maxTimerRetries = 3

type SetupContext = Omit<SessionContext, 'confirmations'>

/** The INVITE that starts an outgoing session, until every branch has ended. */
export class OutgoingSetup {
  readonly #context: SetupContext
  readonly #draft: InviteDraft
  readonly #from: string
  readonly #forks: Forks
  #sending: Sending | undefined
  #cseq = 0
  #timerRetries = 0
  /** The confirmed branch. */
  #chosen: Fork | undefined
  /** Stops waiting for the final response after CANCEL. */
  #stopWaiting = nothing
  readonly #ended: () => void
  readonly #whenEnded: Promise<void>

  constructor(context: SetupContext, draft: InviteDraft) {
    this.#context = context
    this.#draft = draft
    this.#from = `${draft.from};tag=${context.start.localTag}`
    this.#forks = new Forks(draft.uri, this.#from)
    const over = Promise.withResolvers<void>()
    this.#ended = over.resolve
    this.#whenEnded = over.promise
  }

  start(): void {
    try {
      this.#send()
    } catch (error) {
      if (!(error instanceof SipError)) throw error
      // The draft has malformed addresses. The caller of `invite` does not have the session yet.
      queueMicrotask(() => this.#end({ by: 'us', status: error.status }))
    }
  }

  #send(): void {
    const { offerAnswer, stack, start, timer } = this.#context
    const { digest, routes = [], sdp, uri } = this.#draft
    const cseq = ++this.#cseq
    const request = {
      method: 'INVITE',
      uri,
      routes,
      from: this.#from,
      to: this.#draft.to ?? `<${uri}>`,
      callId: start.callId,
      cseq,
      contactUser: start.contactUser,
      maxForwards: this.#draft.maxForwards,
      headers: [['Allow', allow], ['Supported', supported], ...timer.wish(), ...(this.#draft.headers ?? [])] as HeaderLines,
      body: bodyOf(this.#draft, start.localTag),
    }
    offerAnswer.describe(sdp)
    const options = {
      hop: parseUri(routes[0] === undefined ? uri : parseNameAddr(routes[0]).uri),
      flow: this.#draft.flow,
      failover: true,
      silenceMs: this.#draft.silenceMs,
      authorizer: digest && authorizer(digest),
      renumber: () => ++this.#cseq,
    }
    this.#sending = new Sending(stack, request, options, {
      response: (response, from) => this.#onResponse(response, from),
      failed: (status) => this.#end({ by: 'network', status }),
      silent: () => this.cancel({ by: 'network', status: 408 }, []),
    })
    this.#sending.start()
  }

  /** CANCEL, or ACK and BYE if the answer was faster. */
  cancel(end: SessionEnd, headers: HeaderLines): void {
    if (this.#sending?.cancel(headers)) {
      this.#stopWaiting = this.#context.stack.clock.after(transactionTimeout, () => this.abandon())
      void this.#whenEnded.then(this.#stopWaiting)
    } else this.#ended()
    this.#context.lifecycle.finish(end, this.#whenEnded)
  }

  /** RFC 3261 §9.1: gives up an INVITE 64·T1 after a CANCEL without effect. */
  abandon(): void {
    this.#stopWaiting()
    this.#sending?.abandon()
    this.#ended()
  }

  /** The session has ended. */
  release(): void {
    this.#sending?.handOver(this.#latecomers)
  }

  get #latecomers(): LateJoiners {
    return new LateJoiners(this.#forks, this.#context.messages, this.#sending?.credentials ?? [])
  }

  /** The dialog of the branch with this remote tag. */
  dialogOf(remoteTag: string): Dialog | undefined {
    return this.#forks.known(remoteTag)?.dialog
  }

  #onResponse(response: Response, from: Flow): void {
    this.#context.farEnd.note(response, from)
    this.#context.farEnd.invitedAt(this.#sending?.flow?.address)
    if (response.status === 100) return
    if (response.status < 200) this.#onProgress(response)
    else if (response.status < 300) this.#onSuccess(response)
    else this.#onFailure(response)
  }

  #onProgress(response: Response): void {
    if (this.#context.lifecycle.hasEnded() || this.#chosen) return
    const fork = response.toTag === undefined ? undefined : this.#forks.of(response)
    if (fork) this.#context.lifecycle.ring(fork.dialog)
    const sdp = sdpOf(response)
    if (fork && sdp !== undefined) fork.preview = sdp
    const rseq = fork && rseqOf(response)
    if (fork && rseq !== undefined) {
      if (fork.rseq !== undefined && rseq !== fork.rseq + 1) return
      fork.rseq = rseq
      if (sdp !== undefined && this.#draft.sdp === undefined && !this.#context.offerAnswer.complete)
        return void this.#answerInPrack(fork, response, sdp)
      if (sdp !== undefined) this.#takeAnswer(fork, sdp)
      this.#prack(fork, response)
    }
    this.#reportProgress(response, this.#draft.sdp === undefined ? undefined : sdp)
  }

  #reportProgress(response: Response, sdp: string | undefined): void {
    this.#context.observer.notify((observer) => observer.progress?.({ status: response.status, sdp, remoteTag: response.toTag, response }))
  }

  #takeAnswer(fork: Fork, sdp: string): void {
    fork.answer ??= sdp
    this.#context.offerAnswer.completed()
  }

  async #answerInPrack(fork: Fork, response: Response, offer: string): Promise<void> {
    this.#context.offerAnswer.completed()
    const reply = await this.#context.observer.askFor(offer, response)
    if (this.#context.lifecycle.hasEnded()) return
    if ('status' in reply) return this.cancel({ by: 'us', status: reply.status }, reasonHeader(`SIP;cause=${reply.status}`))
    this.#context.offerAnswer.describe(reply.sdp)
    this.#prack(fork, response, reply.sdp)
    this.#reportProgress(response, undefined)
  }

  #prack(fork: Fork, response: Response, sdp?: string): void {
    const rack = formatRAck({ rseq: fork.rseq ?? 0, cseq: response.cseq.number, method: 'INVITE' })
    void this.#context.messages.send('PRACK', { headers: [['RAck', rack]], body: sdpBody(sdp) }, fork.dialog)
  }

  #onSuccess(response: Response): void {
    const known = this.#forks.known(response.toTag)
    if (known?.ack) return void known.ack.send()
    if (known && known === this.#chosen) return
    const fork = this.#forks.of(response)
    if (!fork) return this.#context.lifecycle.hasEnded() ? this.#ended() : this.#end({ by: 'network', status: 500, message: response })
    if (this.#context.lifecycle.hasEnded() || this.#chosen) return void this.#dismiss(fork, response)
    this.#chosen = fork
    this.#draft.digest?.succeeded(response)
    this.#ended()
    const acknowledged = Promise.withResolvers<void>()
    this.#context.lifecycle.confirm(fork.dialog, acknowledged.promise)
    void this.#establish(fork, response).then(acknowledged.resolve)
  }

  /** Sends ACK and BYE to an answer that is late or from another branch. */
  async #dismiss(fork: Fork, response: Response): Promise<void> {
    await this.#latecomers.dismiss(fork, response)
    this.#ended()
  }

  async #establish(fork: Fork, response: Response): Promise<void> {
    const sdp = sdpOf(response)
    if (this.#draft.sdp === undefined && !this.#context.offerAnswer.complete) return this.#answerInAck(fork, response, sdp)
    const sent = this.#acknowledge(fork, response, undefined)
    this.#context.timer.agreed(response)
    this.#context.offerAnswer.completed()
    const offered = this.#draft.sdp !== undefined
    const answer = offered ? (fork.answer ?? sdp ?? fork.preview) : undefined
    if (offered && answer === undefined) this.#context.lifecycle.hangUp({ by: 'us', status: 488 }, reasonHeader('SIP;cause=488'))
    else this.#context.observer.notify((observer) => observer.answered?.(answer, response))
    await sent
  }

  /** The INVITE had no offer: the 2xx has one, and the ACK waits for our answer. */
  async #answerInAck(fork: Fork, response: Response, offer: string | undefined): Promise<void> {
    const reply = offer === undefined ? { status: 488 } : await this.#context.observer.askFor(offer, response)
    this.#context.offerAnswer.completed()
    const refused = 'status' in reply
    if (!refused) this.#context.offerAnswer.describe(reply.sdp)
    await this.#acknowledge(fork, response, refused ? undefined : reply.sdp)
    if (this.#context.lifecycle.hasEnded()) return
    if (refused) return this.#context.lifecycle.hangUp({ by: 'us', status: reply.status }, reasonHeader(`SIP;cause=${reply.status}`))
    this.#context.timer.agreed(response)
    this.#context.observer.notify((observer) => observer.answered?.(undefined, response))
  }

  #acknowledge(fork: Fork, response: Response, sdp: string | undefined): Promise<void> {
    return this.#latecomers.acknowledge(fork, response, sdp)
  }

  #onFailure(response: Response): void {
    if (this.#context.lifecycle.hasEnded()) return this.#ended()
    if (response.status === 422 && this.#timerRetries++ < maxTimerRetries) return this.#askForMoreTime(response)
    const reason = response.header('reason')
    const redirected = response.status < 400 ? { contacts: response.contacts } : {}
    this.#end({ by: 'peer', status: response.status, message: response, ...(reason === undefined ? {} : { reason }), ...redirected })
  }

  #askForMoreTime(response: Response): void {
    this.#context.timer.wasTooShort(response)
    this.start()
  }

  #end(end: SessionEnd): void {
    this.#ended()
    this.#context.lifecycle.finish(end)
  }
}

/** Uses our tag as boundary: it is random, so no part contains it. */
const bodyOf = ({ sdp, attachments = [] }: InviteDraft, boundary: string): Body | undefined => {
  if (attachments.length === 0) return sdpBody(sdp)
  const offer = sdp === undefined ? [] : [{ type: 'application/sdp', content: sdp }]
  return multipartBody([...offer, ...attachments], boundary)
}

/** Maximum number of branches of one call: bounds the cost of a hostile proxy. */
const maxForks = 32

/** One branch of an outgoing call that rings or answered. */
interface Fork {
  readonly dialog: Dialog
  /** RSeq of the latest reliable response. */
  rseq: number | undefined
  /** Answer to our offer in a reliable response. */
  answer: string | undefined
  /** SDP of the latest provisional response: used as the answer if the 2xx has none, as with some gateways. */
  preview: string | undefined
  /** The ACK of its 2xx. */
  ack: Acknowledgement | undefined
}

/** Undefined if the response is not reliable. */
const rseqOf = (response: Response): number | undefined => {
  const value = Number(response.header('rseq'))
  const reliable = leniently(() => hasElement(response.lines('require'), '100rel')) ?? false
  return reliable && Number.isInteger(value) && value > 0 ? value : undefined
}

/** The branches of an outgoing call, by the far end's tag: RFC 3261 §12.1.2. */
class Forks {
  readonly #uri: string
  readonly #from: string
  readonly #byTag = new Map<string, Fork>()

  constructor(uri: string, from: string) {
    this.#uri = uri
    this.#from = from
  }

  known(tag: string | undefined): Fork | undefined {
    return this.#byTag.get(tag ?? '')
  }

  /** The branch of a response, created if needed. Undefined if the response has no valid tag or target. */
  of(response: Response): Fork | undefined {
    const known = this.known(response.toTag)
    if (known && response.status >= 200) return leniently(() => known.dialog.confirm(response)) ? known : undefined
    if (known || this.#byTag.size >= maxForks) return known
    const dialog = leniently(() => Dialog.ofResponse(response, this.#uri, this.#from))
    if (!dialog) return undefined
    const fork: Fork = { dialog, rseq: undefined, answer: undefined, preview: undefined, ack: undefined }
    this.#byTag.set(response.toTag ?? '', fork)
    return fork
  }
}

/**
 * Responses to an INVITE that are repeated, late, or from another branch after the first. They may arrive after the session has ended; this
 * is all the state kept for them.
 */
class LateJoiners implements ClientEvents {
  readonly #forks: Forks
  readonly #messages: DialogMessages
  readonly #credentials: HeaderLines

  constructor(forks: Forks, messages: DialogMessages, credentials: HeaderLines) {
    this.#forks = forks
    this.#messages = messages
    this.#credentials = credentials
  }

  response(response: Response): void {
    if (response.status < 200 || response.status >= 300) return
    const known = this.#forks.known(response.toTag)
    if (known?.ack) return void known.ack.send()
    const fork = this.#forks.of(response)
    if (fork) void this.dismiss(fork, response)
  }

  failed(): void {}

  acknowledge(fork: Fork, response: Response, sdp: string | undefined): Promise<void> {
    fork.ack = this.#messages.acknowledge(fork.dialog, response, this.#credentials, sdp)
    return fork.ack.send()
  }

  /** Sends ACK and BYE. */
  async dismiss(fork: Fork, response: Response): Promise<void> {
    await this.acknowledge(fork, response, undefined)
    await this.#messages.send('BYE', {}, fork.dialog)
  }
}
