import type { Clock } from '#core/kernel/ports/platform.ts'
import type { SmsRouteState } from '#core/kernel/ports/messages.ts'
import { SmsLater, SmsRefused, type SmsReceiver, type SmsPart, type SmsRoute } from '#core/kernel/ports/messages.ts'
import { SmppClient, type ClientState, connectSmpp } from '@offhook/smpp/client/client.ts'
import type { MessageFields, MessageRequest, SmppAddress } from '@offhook/smpp/pdu/pdu.ts'
import { plainId, readReceipt, type IdForm } from '@offhook/smpp/message/receipt.ts'
import type { MessageReply } from '@offhook/smpp/session/session-options.ts'
import { SmppNotSent, SmppRefused } from '@offhook/smpp/pdu/smpp-error.ts'
import { isTemporary, isThrottled, status, statusWords } from '@offhook/smpp/pdu/status.ts'
import { readUserData } from '@offhook/smpp/message/user-data.ts'
import { partFields } from './part-fields.ts'
import type { IdNotation, SmppAccount } from './smpp-url.ts'

interface SmppRouteDeps {
  account: SmppAccount
  clock: Clock
  receiver: SmsReceiver
  random: () => number
  /** Bound, or not bound with the reason. */
  changed: (state: ClientState) => void
  fault: (error: unknown) => void
}

const throttledMs = 1_000
const unboundMs = 5_000
const troubledMs = 30_000

const idForms: Record<IdNotation, { answer: IdForm; receipt: IdForm }> = {
  same: { answer: 'text', receipt: 'text' },
  'hex-decimal': { answer: 'hex', receipt: 'decimal' },
  'decimal-hex': { answer: 'decimal', receipt: 'hex' },
}

/** A message centre that we are a customer of. */
export class SmppRoute implements SmsRoute {
  readonly name = 'smpp'
  readonly takes = 'parts'
  readonly #client: SmppClient
  readonly #account: SmppAccount
  readonly #receiver: SmsReceiver
  #state: SmsRouteState

  constructor({ account, clock, receiver, random, changed, fault }: SmppRouteDeps) {
    this.#account = account
    this.#receiver = receiver
    this.#state = { usable: false, reason: 'it was not tried yet', since: clock.now() }
    const { host, port, secure: tls, systemId, password, systemType, window, rate } = account
    this.#client = new SmppClient({
      clock,
      random,
      window,
      ...(rate !== undefined && { perSecond: rate }),
      connect: (signal) => connectSmpp({ host, port, tls }, signal),
      bind: { systemId, password, systemType },
      message: (request) => this.#receive(request),
      changed: (state) => {
        const since = state.bound === this.#state.usable ? this.#state.since : clock.now() // each attempt is reported, too
        this.#state = { usable: state.bound, reason: state.bound ? '' : state.why, since }
        changed(state)
      },
      fault,
    })
  }

  get state(): SmsRouteState {
    return this.#state
  }

  start(): void {
    this.#client.start()
  }

  close(): Promise<void> {
    return this.#client.close()
  }

  async submit(part: SmsPart): Promise<{ id: string }> {
    try {
      const { messageId } = await this.#client.send(this.#fields(part))
      return { id: plainId(messageId, idForms[this.#account.ids].answer) }
    } catch (error) {
      if (error instanceof SmppNotSent) throw new SmsLater(error.message, unboundMs)
      throw error instanceof SmppRefused ? refusal(error) : error
    }
  }

  #fields(part: SmsPart): MessageFields {
    const { ton, npi } = this.#account
    const fields = partFields(part)
    return { ...fields, destination: { ...fields.destination, ton, npi }, registeredDelivery: 1 }
  }

  /** Confirmed after it is stored. Messages that are not for people (binary, or for a program on the phone) are accepted and dropped. */
  async #receive(request: MessageRequest): Promise<MessageReply> {
    const receipt = readReceipt(request)
    if (receipt) {
      const id = plainId(receipt.id, idForms[this.#account.ids].receipt)
      await this.#receiver.receipt(this.name, { ...receipt, id, ...recipientOf(request.source) })
      return { status: status.ok }
    }
    const { text, of, port } = readUserData(request)
    if (text === undefined || port !== undefined) return { status: status.ok }
    const { source, destination } = request
    await this.#receiver.arrived(this.name, { sender: source.value, recipient: destination.value, text, ...(of && { of }) })
    return { status: status.ok }
  }
}

/** The source of a receipt is the recipient of the message. */
const recipientOf = ({ ton, value }: SmppAddress): { recipient?: string } =>
  ton === 1 && /^\d+$/.test(value) ? { recipient: `+${value}` } : {}

const refusal = ({ status: code, message }: SmppRefused): Error => {
  if (isThrottled(code)) return new SmsLater(message, throttledMs)
  return isTemporary(code) ? new SmsLater(message, troubledMs) : new SmsRefused(statusWords(code))
}
