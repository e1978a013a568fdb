import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { TestContext } from 'node:test'

export type Zone = Record<string, DnsRecord[]>

export type DnsRecord =
  | { type: 'A'; address: string; ttl?: number }
  | { type: 'SRV'; priority: number; weight: number; port: number; name: string }
  | { type: 'NAPTR'; order: number; preference: number; service: string; replacement: string }

export interface DnsServer {
  /** Address and port for a resolver. */
  address: string
  zone: Zone
  /** Queries received: `A sip.example`. */
  asked: string[]
  /** While true every answer is SERVFAIL. */
  failing: boolean
}

const types = { A: 1, SRV: 33, NAPTR: 35 } as const
const typeName = (code: number): string => Object.entries(types).find(([, value]) => value === code)?.[0] ?? String(code)

/** DNS server on loopback with one zone; closed after the test. */
export const startDnsServer = async (t: TestContext, zone: Zone): Promise<DnsServer> => {
  const socket = createSocket('udp4')
  t.after(() => socket.close())
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const server: DnsServer = { address: `127.0.0.1:${socket.address().port}`, zone: structuredClone(zone), asked: [], failing: false }
  socket.on('message', (query, { port, address }) => socket.send(answer(server, query), port, address))
  return server
}

const answer = (server: DnsServer, query: Buffer): Buffer => {
  const { name, type, end } = readQuestion(query)
  server.asked.push(`${typeName(type)} ${name}`)
  const records = (server.zone[name] ?? []).filter((record) => types[record.type] === type)
  const code = server.failing ? 2 : name in server.zone ? 0 : 3
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(0x8580 | code, 2)
  head.writeUInt16BE(code === 0 ? records.length : 0, 6)
  head.writeUInt32BE(0, 8)
  return Buffer.concat([head, query.subarray(12, end), ...(code === 0 ? records.map(encode) : [])])
}

const readQuestion = (query: Buffer): { name: string; type: number; end: number } => {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

const encode = (record: DnsRecord): Buffer => {
  const data = dataOf(record)
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc00c, 0) // pointer to the name in the question
  head.writeUInt16BE(types[record.type], 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(record.type === 'A' ? (record.ttl ?? 60) : 60, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

const dataOf = (record: DnsRecord): Buffer => {
  if (record.type === 'A') return Buffer.from(record.address.split('.').map(Number))
  if (record.type === 'SRV') return Buffer.concat([numbers(record.priority, record.weight, record.port), domain(record.name)])
  const { order, preference, service, replacement } = record
  return Buffer.concat([numbers(order, preference), text('s'), text(service), text(''), domain(replacement)])
}

const numbers = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2)
  return bytes
}

const text = (value: string): Buffer => Buffer.concat([Buffer.of(value.length), Buffer.from(value)])
const domain = (name: string): Buffer => Buffer.concat([...name.split('.').map(text), Buffer.of(0)])
