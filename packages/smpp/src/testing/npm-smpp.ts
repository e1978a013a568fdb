import { once } from 'node:events'
import type { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import type { AddressInfo, Server } from 'node:net'

/** A PDU of npm `smpp`, which has no types. */
export interface NpmPdu {
  command: string
  command_status: number
  sequence_number: number
  system_id?: string
  password?: string
  message_id?: string
  source_addr?: string
  source_addr_ton?: number
  destination_addr?: string
  esm_class?: number
  data_coding?: number
  registered_delivery?: number
  receipted_message_id?: string
  message_state?: number
  message_payload?: unknown
  short_message?: { message: Buffer | string; udh?: Buffer | Buffer[] }
  response(fields?: Record<string, unknown>): NpmPdu
  toBuffer(): Buffer
}

type Asked = (fields: Record<string, unknown>, answered?: (pdu: NpmPdu) => void) => boolean

export interface NpmSession extends EventEmitter {
  send(pdu: NpmPdu): boolean
  close(): void
  destroy(): void
  bind_transceiver: Asked
  bind_receiver: Asked
  bind_transmitter: Asked
  submit_sm: Asked
  deliver_sm: Asked
  data_sm: Asked
  query_sm: Asked
  cancel_sm: Asked
  enquire_link: Asked
  unbind: Asked
}

interface NpmSmpp {
  createServer(listener: (session: NpmSession) => void): Server
  connect(options: { host: string; port: number }): NpmSession
  PDU: new (command: string | Buffer, fields?: Record<string, unknown>) => NpmPdu
  /** `ASCII` is its name for the GSM alphabet. */
  encodings: Record<'ASCII' | 'UCS2', { match(text: string): boolean; encode(text: string): Buffer }>
}

/** npm `smpp` 0.5.1: an independent implementation of the protocol. */
export const npmSmpp = createRequire(import.meta.url)('smpp') as NpmSmpp

type NpmCommand = 'unbind' | (keyof NpmSession & `${string}_${string}`)

/** Sends a request and waits for its response. */
export const ask = (session: NpmSession, command: NpmCommand, fields: Record<string, unknown>): Promise<NpmPdu> =>
  new Promise((resolve) => void session[command](fields, resolve))

/** An SMSC of npm `smpp` on a free loopback port; passes on each connection. */
export const npmSmsc = async (connected: (session: NpmSession) => void): Promise<{ port: number; close(): Promise<void> }> => {
  const sessions = new Set<NpmSession>()
  const server = npmSmpp.createServer((session) => {
    sessions.add(session)
    session.on('error', () => {})
    session.on('close', () => sessions.delete(session))
    connected(session)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const session of sessions) session.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** An ESME of npm `smpp` that is connected but not bound. */
export const npmEsme = async (port: number): Promise<NpmSession> => {
  const session = npmSmpp.connect({ host: '127.0.0.1', port })
  session.on('error', () => {})
  await once(session, 'connect')
  return session
}
