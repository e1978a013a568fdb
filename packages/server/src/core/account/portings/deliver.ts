import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound.ts'
import type { Carrier, StoredPorting } from '#core/kernel/ports/store/number.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { PermanentError, type Task } from '#core/kernel/work/worker.ts'
import { signWebhook } from '#core/kernel/webhook/standard-webhooks.ts'
import type { PortingEvent } from './porting-machine.ts'
import { record, type PortingContext } from './porting-record.ts'
import { randomUUID } from 'node:crypto'
import type { CarrierMessageBody } from '@offhook/contract/carrier/messages.ts'

interface CarrierDelivererDeps {
  store: Store
  /** Real clock for signatures, because the other carrier compares their time; never shifted. */
  wallClock: Clock
  vault: Vault
  outbound: OutboundHttp
  context: PortingContext
}

/** Statuses after which a retry cannot help; 401 is not among them, because a clock or secret may be corrected. */
const hopelessStatuses = [400, 404, 405, 413, 415, 422]

/** The outbox task `carrier`: sends a message and records the outcome in the porting. */
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

/** A request whose porting was cancelled before it could be sent. */
const isWithdrawn = async (tables: Tables, { message }: CarrierDelivery): Promise<boolean> => {
  if (message.type !== 'VA') return false
  const porting = await tables.portings.findByAgreement('IN', message.preAgreementId)
  return porting === undefined || porting.status === 600
}

/** The delivery of the request (VA) and of the data exchange (PDX-SUBMIT) is part of the porting's state. */
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

interface CarrierDelivery {
  carrierCode: string
  message: CarrierMessageBody
}

type Content = Omit<CarrierMessageBody, 'id' | 'preAgreementId'>

/** Queues a message to another carrier in the outbox. */
export const sendMessage = async (
  tables: Tables,
  { clock }: PortingContext,
  { carrierCode, preAgreementId }: { carrierCode: string; preAgreementId: string },
  content: Content,
): Promise<void> => {
  const id = randomUUID()
  const at = clock.now()
  const delivery: CarrierDelivery = { carrierCode, message: { id, preAgreementId, ...content } }
  await tables.carriers.recordMessage({ id, carrier: carrierCode, direction: 'OUT', type: content.type, at })
  await tables.outbox.put({ id: `carrier-${id}`, kind: 'carrier', payload: delivery, at })
}

/** Sends to the carrier of this porting; portings by paper have none. */
export const sendAbout = async (tables: Tables, context: PortingContext, porting: StoredPorting, content: Content): Promise<void> => {
  const { carrier, preAgreementId } = porting
  if (carrier !== undefined && preAgreementId !== undefined)
    await sendMessage(tables, context, { carrierCode: carrier, preAgreementId }, content)
}

/** VA: the request to the present carrier. */
export const sendRequest = (tables: Tables, context: PortingContext, porting: StoredPorting): Promise<void> =>
  sendAbout(tables, context, porting, {
    type: 'VA',
    numbers: porting.numbers.map(({ e164 }) => e164),
    holder: porting.holder,
    ...(porting.wishedDate !== undefined && { portDate: porting.wishedDate }),
  })
