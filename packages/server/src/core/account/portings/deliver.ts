import type { Clock } from '#core/kernel/ports/clock.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import type { Carrier } from '#core/kernel/ports/store/number/carriers.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredPorting } from '#core/kernel/ports/store/number/portings.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { PermanentError, type Task } from '#core/kernel/work/worker.ts'
import { signWebhook } from '#core/kernel/webhook/standard-webhooks.ts'
import type { CarrierDelivery } from './messages.ts'
import type { PortingEvent } from './porting-machine.ts'
import { record, type PortingContext } from './porting-record.ts'

export interface CarrierDelivererDeps {
  store: Store
  /** The other carrier compares what is signed with a clock of its own: never put forward. */
  wallClock: Clock
  vault: Vault
  outbound: OutboundHttp
  context: PortingContext
}

/** Answers after which another try cannot help; 401 is not one of them, because a clock or secret may be put right. */
const hopelessStatuses = [400, 404, 405, 413, 415, 422]

/** The outbox task `carrier`: sends a message and lets the porting know how it went. */
export const deliverCarrierMessage = ({ store, wallClock, vault, outbound, context }: CarrierDelivererDeps): Task => {
  const note = (delivery: CarrierDelivery, outcome: 'arrived' | 'failed') =>
    store.write((tables) => noteTransport(tables, context, delivery, outcome))

  return async (payload) => {
    const delivery = payload as CarrierDelivery
    const carrier = await store.read.carriers.find(delivery.carrierCode)
    if (!carrier) throw new PermanentError('the carrier is not known any more')
    if (await isWithdrawn(store.read, delivery)) return
    try {
      await post({ vault, outbound, wallClock, carrierCode: context.carrierCode }, carrier, delivery)
    } catch (error) {
      await note(delivery, 'failed')
      throw error
    }
    await note(delivery, 'arrived')
  }
}

interface Sender {
  vault: Vault
  outbound: OutboundHttp
  wallClock: Clock
  carrierCode: string
}

const post = async (
  { vault, outbound, wallClock, carrierCode }: Sender,
  { url, secretSealed }: Carrier,
  { message }: CarrierDelivery,
): Promise<void> => {
  const body = JSON.stringify(message)
  const timestampSeconds = Math.floor(wallClock.now() / 1000)
  const signed = signWebhook({ id: message.id, timestampSeconds, body, secrets: [vault.open(secretSealed)] })
  const reply = await outbound.request({
    method: 'POST',
    url: `${url.replace(/\/+$/, '')}/carrier/v1/messages`,
    headers: { 'content-type': 'application/json', 'x-carrier-code': carrierCode, ...signed },
    body,
    deadlineMs: 10_000,
    maxBytes: 64 * 1024,
  })
  if (reply.status >= 200 && reply.status < 300) return
  const refused = `the carrier answered ${reply.status} to ${message.type}`
  throw hopelessStatuses.includes(reply.status) ? new PermanentError(refused) : new Error(refused)
}

/** A request whose porting was given up before it could be sent. */
const isWithdrawn = async (tables: Tables, { message }: CarrierDelivery): Promise<boolean> => {
  if (message.type !== 'VA') return false
  const porting = await tables.portings.findByAgreement('IN', message.preAgreementId)
  return porting === undefined || porting.status === 600
}

/** Whether the request (VA) and the data exchange (PDX-SUBMIT) get through is part of the porting's state. */
const noteTransport = async (
  tables: Tables,
  context: PortingContext,
  { message }: CarrierDelivery,
  outcome: 'arrived' | 'failed',
): Promise<void> => {
  const porting = await tables.portings.lockByAgreement('IN', message.preAgreementId)
  let current = porting
  for (const event of current ? transportEvents(message.type, current, outcome) : [])
    if (current) current = await record(tables, context, current, { event, actor: 'system' })
}

const transportEvents = (type: string, { status }: StoredPorting, outcome: 'arrived' | 'failed'): PortingEvent[] => {
  if (type === 'VA' && outcome === 'arrived' && (status === 170 || status === 251)) return ['request_sent']
  if (type === 'VA' && outcome === 'failed' && status === 170) return ['request_sent', 'transport_failed']
  if (type === 'VA' && outcome === 'failed' && status === 250) return ['transport_failed']
  if (type === 'PDX-SUBMIT' && outcome === 'arrived' && status === 451) return ['exchange_opened']
  if (type === 'PDX-SUBMIT' && outcome === 'failed' && status === 450) return ['exchange_failed']
  return []
}
