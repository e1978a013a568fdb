import type { Scope } from '../machine/temporary-folder.ts'
import { npmSmsc, type NpmPdu, type NpmSession } from '@offhook/smpp/testing/npm-smpp.ts'
import { until } from '../machine/peer-process.ts'

/** Message, or a part of one, as received. */
export interface Submitted {
  sender: string
  recipient: string
  text: string
  dataCoding: number
  /** User data header as hex; empty without one. */
  header: string
  /** True if a receipt is requested. */
  wantsReceipt: boolean
}

/** Reaction to the n-th message (from 0). `vanish`: drops the connection before the response. */
export type Treatment = { status: number } | { id: string; receipt?: 'before' | 'after'; state?: string } | 'vanish' | 'silence'

export interface MessageCentre {
  readonly port: number
  readonly url: string
  readonly submitted: Submitted[]
  /** Number of bound programs. */
  bound(): number
  /** Resolves with this many messages, once there are as many. */
  messages(count: number): Promise<Submitted[]>
  /** Delivers a message to the bound client; returns the status of the response. */
  deliver(fields: Record<string, unknown>): Promise<number>
  /** Sends a delivery receipt. */
  receipt(id: string, about: Submitted, state: string): Promise<number>
}

const login = { systemId: 'offhook', password: 'secret' }

/** npm `smpp` as the message centre of a carrier. */
export const startMessageCentre = async (t: Scope, treat: (sms: Submitted, n: number) => Treatment): Promise<MessageCentre> => {
  const submitted: Submitted[] = []
  const bound: NpmSession[] = []
  const send = (fields: Record<string, unknown>): Promise<number> =>
    new Promise((resolve) => {
      const session = bound.at(-1)
      if (!session) throw new Error('no client is bound')
      session.deliver_sm(fields, ({ command_status }) => resolve(command_status))
    })
  const receipt = (id: string, { sender, recipient }: Submitted, state: string): Promise<number> =>
    send({
      ...international(recipient, sender),
      esm_class: 4,
      short_message: `id:${id} sub:001 dlvrd:001 submit date:2611150130 done date:2611150130 stat:${state} err:000 text:`,
    })

  const take = async (session: NpmSession, pdu: NpmPdu): Promise<void> => {
    const sms = read(pdu)
    submitted.push(sms)
    const treatment = treat(sms, submitted.length - 1)
    if (treatment === 'silence') return
    if (treatment === 'vanish') return session.destroy()
    if ('status' in treatment) return void session.send(pdu.response({ command_status: treatment.status }))
    const { id, receipt: when, state = 'DELIVRD' } = treatment
    if (when === 'before') await receipt(id, sms, state)
    session.send(pdu.response({ message_id: id }))
    if (when === 'after') await receipt(id, sms, state)
  }

  const server = await npmSmsc((session) => {
    session.on('bind_transceiver', (pdu: NpmPdu) => {
      const known = pdu.system_id === login.systemId && pdu.password === login.password
      session.send(pdu.response({ command_status: known ? 0 : 0x0e, system_id: 'centre' }))
      if (known) bound.push(session)
    })
    session.on('close', () => void bound.splice(bound.indexOf(session) >>> 0, 1))
    session.on('enquire_link', (pdu: NpmPdu) => session.send(pdu.response()))
    session.on('unbind', (pdu: NpmPdu) => {
      session.send(pdu.response())
      session.close()
    })
    session.on('submit_sm', (pdu: NpmPdu) => void take(session, pdu))
  })
  t.after(() => server.close())
  const { port } = server
  return {
    port,
    url: `smpp://${login.systemId}:${login.password}@127.0.0.1:${port}`,
    submitted,
    bound: () => bound.length,
    messages: (count) => until(`${count} messages`, () => (submitted.length >= count ? submitted : undefined)),
    deliver: send,
    receipt,
  }
}

/** Addresses of a deliver_sm; numbers with or without plus. */
export const international = (from: string, to: string): Record<string, unknown> => ({
  source_addr_ton: 1,
  source_addr_npi: 1,
  source_addr: from.replace('+', ''),
  dest_addr_ton: 1,
  dest_addr_npi: 1,
  destination_addr: to.replace('+', ''),
})

const read = (pdu: NpmPdu): Submitted => {
  const { message, udh = [] } = pdu.short_message ?? { message: '' }
  return {
    sender: pdu.source_addr ?? '',
    recipient: pdu.destination_addr ?? '',
    text: message.toString(),
    dataCoding: pdu.data_coding ?? 0,
    header: Buffer.concat(Array.isArray(udh) ? udh : [udh]).toString('hex'),
    wantsReceipt: ((pdu.registered_delivery ?? 0) & 1) === 1,
  }
}
