import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { takeDeliveries, type ProgramDelivery } from '#core/messages/sms/programs/program-deliveries.ts'
import { isAdmitted, type Program } from '#core/messages/sms/programs/program-login.ts'
import { addressOf, messageFields, type MessageFields } from '@offhook/smpp/pdu/pdu.ts'
import { receiptFields } from '@offhook/smpp/message/receipt.ts'
import type { SmppSession } from '@offhook/smpp/session/session.ts'
import { SmppNotSent, SmppRefused } from '@offhook/smpp/pdu/smpp-error.ts'
import { isTemporary } from '@offhook/smpp/pdu/status.ts'
import { partFields } from './part-fields.ts'

interface ProgramFeedDeps {
  store: Store
  clock: Clock
  program: Program
  session: SmppSession
  onFault: (error: unknown) => void
}

const concurrency = 10
/** Longer than a program may take to confirm all of them. */
const heldMs = 60_000
const delayMs = 30_000

/** Delivers messages and receipts to a bound program, at least once: unconfirmed ones are delivered again, here or after its next bind. */
export class ProgramFeed {
  readonly #deps: ProgramFeedDeps
  #turn: Promise<void> | undefined
  #again = false
  #stopped = false

  constructor(deps: ProgramFeedDeps) {
    this.#deps = deps
  }

  look(): void {
    if (this.#stopped) return
    if (this.#turn) {
      this.#again = true
      return
    }
    this.#turn = this.#deliverAll()
      .catch(this.#deps.onFault)
      .then(() => {
        this.#turn = undefined
        if (this.#again) this.look()
      })
  }

  async idle(): Promise<void> {
    while (this.#turn) await this.#turn
  }

  stop(): void {
    this.#stopped = true
  }

  async #deliverAll(): Promise<void> {
    const { store, clock, program, session } = this.#deps
    this.#again = false
    while (!this.#stopped) {
      if (session.bound === undefined) return
      const now = clock.now()
      if (!(await store.read.programs.haveDue(program.accountId, program.smsId, now))) return
      if (!(await isAdmitted(store, program))) return session.destroy('its login has ended')
      const deliveries = await takeDeliveries(store, program, { now, until: now + heldMs, limit: concurrency })
      if (deliveries.length === 0) return
      const delivered = await Promise.all(deliveries.map((delivery) => this.#deliver(delivery)))
      if (delivered.includes(false)) return
    }
  }

  /** False: the program accepts none now. */
  async #deliver(delivery: ProgramDelivery): Promise<boolean> {
    const { store, clock, session } = this.#deps
    const { accountId, id } = delivery.note
    try {
      for (const fields of pdusOf(delivery)) await session.send(fields)
    } catch (error) {
      const hopeless = error instanceof SmppRefused && !isTemporary(error.status)
      if (!hopeless) {
        const waitMs = error instanceof SmppNotSent ? 0 : delayMs
        await store.write(({ programs }) => programs.postponeNote(accountId, id, clock.now() + waitMs))
        return false
      }
    }
    await store.write(({ programs }) => programs.removeNote(accountId, id))
    return true
  }
}

const pdusOf = (delivery: ProgramDelivery): MessageFields[] => {
  if ('parts' in delivery) return delivery.parts.map(partFields)
  const { receipt, sms } = delivery
  const ends = { source: addressOf(sms.recipient), destination: addressOf(sms.sender) }
  return [messageFields({ ...ends, ...receiptFields({ ...receipt, submittedAt: sms.createdAt, doneAt: sms.changedAt }) })]
}
